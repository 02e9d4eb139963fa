#include "tuner/search/predicted_ends.hpp"

#include <gtest/gtest.h>

namespace bcastgen {
namespace {

SizeChoice choice(const char* algorithm, std::size_t segment_bytes, std::size_t bytes) {
    SizeChoice one;
    one.choice = {algorithm, segment_bytes, bytes};
    one.native_us = exact_estimate({1});
    return one;
}

/// In small segments by the byte, in large ones with a cost of their own: even at 16,000 bytes.
double price(const MeasureCase& one) {
    const auto bytes = static_cast<double>(one.message_bytes);
    return one.segment_bytes < 1000 ? bytes : 8000 + bytes / 2;
}

TEST(PredictedEnds, AChoiceGoesOnWhereItIsQuickerByPrices) {
    SearchSettings settings;
    settings.price_us = price;
    const std::vector<SizeChoice> found =
        with_predicted_ends({choice("two-tree", 240, 1000), choice("two-tree", 240, 4000),
                             choice("two-tree", 6000, 64000), choice("linear", 6000, 70000)},
                            settings);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[2].choice.segment_bytes, 240U);
    EXPECT_GT(found[2].choice.message_bytes, 12000U);
    EXPECT_LE(found[2].choice.message_bytes, 16000U);
    EXPECT_EQ(found[2].native_us.samples, 0U);
    EXPECT_EQ(found[3].choice.message_bytes, 64000U);
}

TEST(PredictedEnds, NothingIsSaidWithoutPricesOrWhereTheLargerIsQuickerAtOnce) {
    const std::vector<SizeChoice> measured = {choice("two-tree", 240, 20000), choice("two-tree", 6000, 64000)};
    SearchSettings settings;
    EXPECT_EQ(with_predicted_ends(measured, settings).size(), 2U);
    settings.price_us = price;
    EXPECT_EQ(with_predicted_ends(measured, settings).size(), 2U);
    settings.price_us = [](const MeasureCase& one) { return one.segment_bytes < 1000 ? 1.0 : 0.0; };
    EXPECT_EQ(with_predicted_ends(measured, settings).size(), 2U);
}

}  // namespace
}  // namespace bcastgen
