#include "bcast/trees/sends_under_way.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bcast {
namespace {

/// How many begin, each time before one more has ended.
std::string begun(SendsUnderWay sends, int in_all) {
    std::string text;
    int left = in_all;
    for (int ended = 0; ended < in_all; ++ended) {
        int now = 0;
        for (; left > 0 && !sends.full(); --left, ++now) sends.begin();
        text += std::to_string(now);
        sends.end();
    }
    return text;
}

TEST(SendsUnderWay, SlideOrGoInStepsTheFirstOfWhichNeedNotBeFull) {
    EXPECT_EQ(begun(SendsUnderWay(3), 8), "31111100");
    EXPECT_EQ(begun(SendsUnderWay({3, false}, 8), 8), "31111100");
    EXPECT_EQ(begun(SendsUnderWay({3, true}, 8), 8), "20300300");
    EXPECT_EQ(begun(SendsUnderWay({3, true}, 6), 6), "300300");
    EXPECT_EQ(begun(SendsUnderWay({3, true}, 2), 2), "20");
    EXPECT_EQ(begun(SendsUnderWay({1, true}, 3), 3), "111");
}

}  // namespace
}  // namespace bcast
