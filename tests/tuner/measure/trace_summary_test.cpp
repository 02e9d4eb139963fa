#include "tuner/measure/trace_summary.hpp"

#include <gtest/gtest.h>

namespace bcastgen {
namespace {

TracedCalls calls_of(std::size_t bytes, const char* algorithm, std::uint64_t calls, double seconds) {
    TracedCalls one;
    one.message_bytes = bytes;
    one.ranks = 4;
    one.algorithm = algorithm;
    one.calls = calls;
    one.seconds = seconds;
    return one;
}

Trace trace_of(std::vector<TracedCalls> calls) {
    return {"trace", std::move(calls), {{0, 9, 1.0}, {1, 9, 2.5}, {2, 9, 0.5}, {3, 9, 2.0}}};
}

TEST(TraceSummary, CountsABroadcastOnceAndTimeAsAMeanOfRanks) {
    const TraceSummary summary = summary_of(
        trace_of({calls_of(8, "native", 20, 1.2), calls_of(8, "flat", 8, 0.8), calls_of(4096, "flat", 8, 4)}));
    EXPECT_DOUBLE_EQ(summary.broadcasts, 9);
    EXPECT_DOUBLE_EQ(summary.seconds, 1.5);
    EXPECT_DOUBLE_EQ(summary.planned_broadcasts, 4);
    EXPECT_DOUBLE_EQ(summary.planned_seconds, 1.2);
    EXPECT_EQ(summary.slowest.rank, 1);
    ASSERT_EQ(summary.sizes.size(), 2U);
    EXPECT_EQ(summary.sizes[0].least_bytes, 4096U);
    EXPECT_DOUBLE_EQ(summary.sizes[0].broadcasts, 2);
    EXPECT_EQ(summary.sizes[1].most_bytes, 8U);
    EXPECT_DOUBLE_EQ(summary.sizes[1].broadcasts, 7);
    EXPECT_DOUBLE_EQ(summary.sizes[1].seconds, 0.5);
}

TEST(TraceSummary, PutsTheNearestSizesTogether) {
    std::vector<TracedCalls> calls;
    for (const std::size_t bytes : {0U, 1U, 100U, 110U, 1000U, 50000U, 60000U, 1000000U})
        calls.push_back(calls_of(bytes, "flat", 4, static_cast<double>(bytes)));
    const TraceSummary summary = summary_of(trace_of(calls));
    ASSERT_EQ(summary.sizes.size(), 6U);
    EXPECT_EQ(summary.sizes[2].least_bytes, 50000U);
    EXPECT_EQ(summary.sizes[2].most_bytes, 50000U);
    EXPECT_EQ(summary.sizes[4].least_bytes, 100U);
    EXPECT_EQ(summary.sizes[4].most_bytes, 110U);
    EXPECT_DOUBLE_EQ(summary.sizes[4].broadcasts, 2);
    EXPECT_EQ(summary.sizes[5].most_bytes, 1U);
}

TEST(TraceSummary, IsNothingOfNothing) {
    const TraceSummary summary = summary_of({"trace", {}, {}});
    EXPECT_EQ(summary.broadcasts, 0);
    EXPECT_EQ(summary.seconds, 0);
    EXPECT_TRUE(summary.sizes.empty());
}

}  // namespace
}  // namespace bcastgen
