#include "tuner/search/predictions_between.hpp"

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

TEST(PredictionsBetween, AChoiceGoesOnWhereItIsQuickerByPrices) {
    SearchSettings settings;
    settings.price_us = price;
    const std::vector<SizeChoice> found =
        with_predictions_between({choice("two-tree", 240, 1000), choice("two-tree", 240, 4000),
                                  choice("two-tree", 6000, 64000), choice("linear", 6000, 70000)},
                                 settings);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[2].choice.segment_bytes, 240U);
    EXPECT_GT(found[2].choice.message_bytes, 12000U);
    EXPECT_LE(found[2].choice.message_bytes, 16000U);
    EXPECT_EQ(found[2].native_us.samples, 0U);
    EXPECT_EQ(found[3].choice.message_bytes, 64000U);
}

TEST(PredictionsBetween, NothingIsSaidWithoutPricesOrWhereTheLargerIsQuickerAtOnce) {
    const std::vector<SizeChoice> measured = {choice("two-tree", 240, 20000), choice("two-tree", 6000, 64000)};
    SearchSettings settings;
    EXPECT_EQ(with_predictions_between(measured, settings).size(), 2U);
    settings.price_us = price;
    EXPECT_EQ(with_predictions_between(measured, settings).size(), 2U);
    settings.price_us = [](const MeasureCase& one) { return one.segment_bytes < 1000 ? 1.0 : 0.0; };
    EXPECT_EQ(with_predictions_between(measured, settings).size(), 2U);
}

// The model's choice stands where it is sure to be the quickest, and nowhere else: not where the larger neighbour's is
// taken to be as quick, and not next to sizes that were measured.
TEST(PredictionsBetween, TheModelsChoiceStandsWhereItBeatsBothNeighbours) {
    SearchSettings settings;
    settings.price_us = price;
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"latency", 0, bytes}; };
    settings.beats = [](const MeasureCase& one, const MeasureCase& other) {
        return one.algorithm == "latency" && other.message_bytes > 5000 && other.message_bytes < 9000;
    };
    const std::vector<SizeChoice> measured = {choice("two-tree", 6000, 4000), choice("two-tree", 6000, 64000),
                                              choice("linear", 6000, 70000)};
    const std::vector<SizeChoice> found = with_predictions_between(measured, settings);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[1].choice.algorithm, "two-tree");
    EXPECT_GT(found[1].choice.message_bytes, 4000U);
    EXPECT_LE(found[1].choice.message_bytes, 5000U);
    EXPECT_EQ(found[2].choice.algorithm, "latency");
    EXPECT_GT(found[2].choice.message_bytes, 7500U);
    EXPECT_LT(found[2].choice.message_bytes, 9000U);
    EXPECT_EQ(found[2].cost_us.samples, 0U);
    EXPECT_EQ(found[3].choice, measured[1].choice);
    settings.beats = [](const MeasureCase& /*one*/, const MeasureCase& /*other*/) { return false; };
    EXPECT_EQ(with_predictions_between(measured, settings).size(), 3U);
}

}  // namespace
}  // namespace bcastgen
