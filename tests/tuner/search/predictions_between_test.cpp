#include "tuner/search/predictions_between.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/search/priced_segments.hpp"

namespace bcastgen {
namespace {

SizeChoice choice(const char* algorithm, std::size_t segment_bytes, std::size_t bytes) {
    SizeChoice one;
    one.choice = {algorithm, segment_bytes, bytes};
    one.native_us = exact_estimate({1});
    return one;
}

/// What a test says was measured.
class MeasuredTimes : public Sampler {
  public:
    explicit MeasuredTimes(std::vector<std::pair<MeasureCase, double>> times_us = {})
        : times_us_(std::move(times_us)) {}

    void take(const std::vector<MeasureCase>& /*cases*/, int /*repetitions*/) override {}
    [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override {
        for (const auto& [of, us] : times_us_) {
            if (of == one) return exact_estimate({us});
        }
        return {};
    }
    [[nodiscard]] bool out_of_time() const override { return true; }

  private:
    std::vector<std::pair<MeasureCase, double>> times_us_;
};

std::vector<SizeChoice> between(const std::vector<SizeChoice>& choices, const SearchSettings& settings,
                                const Sampler& sampler = MeasuredTimes()) {
    return with_predictions_between(choices, settings, sampler);
}

/// In small segments by the byte, in large ones with a cost of their own: even at 16,000 bytes.
double price(const MeasureCase& one, RuleBegin /*above*/) {
    const auto bytes = static_cast<double>(one.message_bytes);
    return one.segment_bytes < 1000 ? bytes : 8000 + bytes / 2;
}

TEST(PredictionsBetween, AChoiceGoesOnWhereItIsQuickerByPrices) {
    SearchSettings settings;
    settings.price_us = price;
    const std::vector<SizeChoice> found = between({choice("two-tree", 240, 1000), choice("two-tree", 240, 4000),
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
    EXPECT_EQ(between(measured, settings).size(), 2U);
    settings.price_us = price;
    EXPECT_EQ(between(measured, settings).size(), 2U);
    settings.price_us = [](const MeasureCase& one, RuleBegin) { return one.segment_bytes < 1000 ? 1.0 : 0.0; };
    EXPECT_EQ(between(measured, settings).size(), 2U);
}

// The model's choice stands where it is sure to be the quickest, and nowhere else: not where the larger neighbour's is
// taken to be as quick, and not next to sizes that were measured.
TEST(PredictionsBetween, TheModelsChoiceStandsWhereItBeatsBothNeighbours) {
    SearchSettings settings;
    settings.price_us = price;
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"latency", 0, bytes}; };
    settings.beats = [](const MeasureCase& one, const MeasureCase& other, RuleBegin) {
        return one.algorithm == "latency" && other.message_bytes > 5000 && other.message_bytes < 9000;
    };
    const std::vector<SizeChoice> measured = {choice("two-tree", 6000, 4000), choice("two-tree", 6000, 64000),
                                              choice("linear", 6000, 70000)};
    const std::vector<SizeChoice> found = between(measured, settings);
    ASSERT_EQ(found.size(), 5U);
    EXPECT_EQ(found[1].choice.algorithm, "two-tree");
    EXPECT_GT(found[1].choice.message_bytes, 4000U);
    EXPECT_LE(found[1].choice.message_bytes, 5000U);
    EXPECT_EQ(found[2].choice.algorithm, "latency");
    EXPECT_GT(found[2].choice.message_bytes, 7500U);
    EXPECT_LT(found[2].choice.message_bytes, 9000U);
    EXPECT_EQ(found[2].cost_us.samples, 0U);
    EXPECT_EQ(found[3].choice, measured[1].choice);
    settings.beats = [](const MeasureCase& /*one*/, const MeasureCase& /*other*/, RuleBegin) { return false; };
    EXPECT_EQ(between(measured, settings).size(), 3U);
}

/// Ranks that know that a message is long post more receives at once: in segments a rule that begins at three quarters
/// of a message, or later, is three times as quick.
double price_by_begin(const MeasureCase& one, RuleBegin above) {
    if (one.segment_bytes == 0) return 2;
    return 4 * above.value_or(one.message_bytes / 2) < 3 * one.message_bytes ? 3 : 1;
}

SearchSettings settings_by_begin() {
    SearchSettings settings;
    settings.price_us = price_by_begin;
    settings.beats = [](const MeasureCase& one, const MeasureCase& other, RuleBegin above) {
        return price_by_begin(one, above) < price_by_begin(other, above);
    };
    settings.may_join = [](const MessageRule& rule, std::size_t own_above, std::size_t above) {
        const MeasureCase one{"linear", rule.segment_bytes, rule.up_to};
        return price_by_begin(one, above) <= price_by_begin(one, own_above);
    };
    return settings;
}

TEST(PredictionsBetween, ThereAreSeveralRulesOfOneChoiceWhereNarrowOnesAreQuicker) {
    const std::vector<SizeChoice> found =
        between({choice("linear", 4000, 16000), choice("linear", 4000, 32000)}, settings_by_begin());
    for (std::size_t i = 1; i < found.size(); ++i) {
        EXPECT_GE(4 * found[i - 1].choice.message_bytes, 3 * found[i].choice.message_bytes);
    }
    EXPECT_GE(found.size(), 4U);
    EXPECT_LE(found.size(), 5U);  // and no more than it takes
}

TEST(PredictionsBetween, PricesAreForRulesThatBeginWhereTheOneBeforeEnds) {
    const std::vector<SizeChoice> found =
        between({choice("linear", 4000, 16000), choice("latency", 0, 32000)}, settings_by_begin());
    const MeasureCase& last_between = found[found.size() - 2].choice;
    EXPECT_EQ(last_between.algorithm, "linear");
    EXPECT_GT(last_between.message_bytes, 30000U);
    EXPECT_EQ(found.back().choice.algorithm, "latency");
}

// Few prices have been compared with times by then, so that the model's choice need not be known to beat anything.
TEST(PredictionsBetween, TheModelIsTrustedBetweenSizesWhereItWasRight) {
    SearchSettings settings;
    settings.price_us = price;
    settings.beats = [](const MeasureCase& /*one*/, const MeasureCase& /*other*/, RuleBegin) { return false; };
    settings.predicted = [](std::size_t bytes) {
        if (bytes <= 4000) return MeasureCase{"two-tree", 6000, bytes};
        if (bytes >= 64000) return MeasureCase{"linear", 6000, bytes};
        return bytes < 16000 ? MeasureCase{"latency", 0, bytes} : MeasureCase{"native", 0, bytes};
    };
    const std::vector<SizeChoice> right = {choice("two-tree", 6000, 4000), choice("linear", 6000, 64000)};
    const std::vector<SizeChoice> found = between(right, settings);
    EXPECT_EQ(found[1].choice.algorithm, "latency");
    EXPECT_GT(found[1].choice.message_bytes, 13000U);
    EXPECT_LT(found[1].choice.message_bytes, 16000U);
    for (const SizeChoice& one : found) EXPECT_NE(one.choice.algorithm, "native");
    for (const SizeChoice& wrong : {choice("linear", 8000, 64000), choice("two-tree", 6000, 64000)}) {
        for (const SizeChoice& one : between({right[0], wrong}, settings)) {
            EXPECT_NE(one.choice.algorithm, "latency");
        }
    }
}

TEST(PredictionsBetween, ItIsTrustedAsWellWhereItWasNearlyAsQuick) {
    SearchSettings settings;
    settings.price_us = price;
    settings.predicted = [](std::size_t bytes) {
        return bytes > 4000 && bytes < 64000 ? MeasureCase{"latency", 0, bytes} : MeasureCase{"linear", 6000, bytes};
    };
    const auto latency_between = [&](const char* best, double predicted_us) {
        const MeasuredTimes times({{{"linear", 6000, 64000}, predicted_us}, {{best, 8000, 64000}, 40000}});
        const auto found = between({choice("linear", 6000, 4000), choice(best, 8000, 64000)}, settings, times);
        return std::any_of(found.begin(), found.end(),
                           [](const SizeChoice& one) { return one.choice.algorithm == "latency"; });
    };
    EXPECT_TRUE(latency_between("two-tree", 41600));
    EXPECT_FALSE(latency_between("two-tree", 42400));
    EXPECT_FALSE(latency_between("native", 41600));
}

TEST(PredictionsBetween, ItIsTrustedAsWellWhereItsPricesPreferTheSegmentsThatWereQuickest) {
    SearchSettings settings;
    settings.price_us = [](const MeasureCase& one, RuleBegin) {
        return one.algorithm == "latency" ? 1 : 1000 + static_cast<double>(one.segment_bytes);
    };
    settings.predicted = [](std::size_t bytes) {
        return bytes > 4000 && bytes < 64000 ? MeasureCase{"latency", 0, bytes} : MeasureCase{"linear", 6000, bytes};
    };
    const auto first_between = [&](std::size_t segment_bytes) {
        return between({choice("linear", 6000, 4000), choice("linear", segment_bytes, 64000)}, settings)[1].choice;
    };
    EXPECT_EQ(first_between(5000).algorithm, "latency");
    EXPECT_EQ(first_between(7000).algorithm, "linear");
}

// The price of the tree in segments of 6000 bytes is half of what it takes; in 4000 they have what they take.
TEST(PredictionsBetween, PricesAreTakenToBeOffBetweenSizesAsTheyWereThere) {
    SearchSettings settings;
    settings.price_us = [](const MeasureCase& one, RuleBegin) { return one.segment_bytes == 6000 ? 60.0 : 90.0; };
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"two-tree", 6000, bytes}; };
    const auto choice_between = [&](double predicted_us) {
        const MeasuredTimes times({{{"two-tree", 4000, 16000}, 90},
                                   {{"two-tree", 4000, 64000}, 90},
                                   {{"two-tree", 6000, 16000}, 92},
                                   {{"two-tree", 6000, 64000}, predicted_us}});
        return between({choice("two-tree", 4000, 16000), choice("two-tree", 4000, 64000)}, settings, times)[1].choice;
    };
    EXPECT_EQ(choice_between(92).segment_bytes, 4000U);
    EXPECT_EQ(choice_between(90.5).segment_bytes, 6000U);  // not quicker by more than a percent
}

// At 4000 bytes the model was wrong, and nothing is known of how far its prices are off in general. But both algorithms
// were measured at 64000: the one that lost there by little is quicker below by more.
TEST(PredictionsBetween, WhatWasMeasuredOfBothAtAnEndIsEnoughToComparePrices) {
    SearchSettings settings;
    settings.price_us = [](const MeasureCase& one, RuleBegin) {
        if (one.algorithm == "latency") return 200.0;
        return one.algorithm == "binary" && one.message_bytes < 64000 ? 90.0 : 100.0;
    };
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"binary", 8000, bytes}; };
    const auto choice_between = [&](double binary_us) {
        const MeasuredTimes times({{{"latency", 0, 4000}, 90},
                                   {{"binary", 8000, 4000}, 150},
                                   {{"two-tree", 8000, 64000}, 100},
                                   {{"binary", 8000, 64000}, binary_us}});
        return between({choice("latency", 0, 4000), choice("two-tree", 8000, 64000)}, settings, times)[1].choice;
    };
    EXPECT_EQ(choice_between(108).algorithm, "binary");
    EXPECT_EQ(choice_between(112).algorithm, "two-tree");
    EXPECT_EQ(between({choice("latency", 0, 4000), choice("two-tree", 8000, 64000)}, settings)[1].choice.algorithm,
              "two-tree");
}

/// Of a pair of trees, each with half of the message: a last segment that is not full takes as long as one that is.
double price_by_pieces(const MeasureCase& one, RuleBegin /*above*/) {
    if (one.segment_bytes == 0) return 0;
    const std::size_t pieces = (one.message_bytes / 2 + one.segment_bytes - 1) / one.segment_bytes;
    return static_cast<double>((pieces + 10) * one.segment_bytes);
}

// Predicted tables have segments that double.
TEST(PredictionsBetween, ChoicesAreInTheSegmentsThatAreCheapestByFarOrInThoseOfTheLast) {
    SearchSettings settings;
    settings.price_us = price_by_pieces;
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"two-tree", 8192, bytes}; };
    const std::vector<SizeChoice> found =
        between({choice("two-tree", 8192, 65536), choice("two-tree", 8192, 262144)}, settings);
    std::size_t rule = 1;
    for (std::size_t bytes = 72 * 1024; bytes < 262144; bytes += bytes < 131072 ? 8192 : 16384) {
        while (found[rule].choice.message_bytes < bytes) ++rule;
        const double least_us = price_by_pieces(in_cheapest_segments({"two-tree", 8192, bytes}, settings, {}), {});
        EXPECT_LE(price_by_pieces(found[rule].choice.at(bytes), {}), 1.02 * least_us) << bytes;
    }
    EXPECT_LE(found.size(), 12U);
    for (std::size_t i = 2; i + 1 < found.size(); ++i) {
        EXPECT_NE(found[i].choice.segment_bytes, found[i - 1].choice.segment_bytes);
    }
}

// What was measured there was measured as a rule takes it that begins at half the size.
TEST(PredictionsBetween, TheModelsChoiceStandsAtAMeasuredSizeIfANarrowRuleMakesItQuicker) {
    const std::vector<SizeChoice> measured = {choice("latency", 0, 30000), choice("latency", 0, 32000)};
    SearchSettings settings = settings_by_begin();
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"linear", 4000, bytes}; };
    const std::vector<SizeChoice> found = between(measured, settings);
    EXPECT_EQ(found.back().choice, (MeasureCase{"linear", 4000, 32000}));
    EXPECT_EQ(found.back().native_us.samples, 0U);
    settings.price_us = [](const MeasureCase& one, RuleBegin) { return one.segment_bytes == 0 ? 2.0 : 1.0; };
    EXPECT_EQ(between(measured, settings).back().choice, measured.back().choice);
}

// At 32,000 bytes the latency tree won, as rules take cases that begin at half of that; narrow ones take a third there.
// choice.
TEST(PredictionsBetween, MeasuredTimesDecideBetweenTheModelsChoiceByANarrowRuleAndTheQuickest) {
    const std::vector<SizeChoice> found = {choice("linear", 4000, 16000), choice("latency", 0, 32000)};
    SearchSettings settings = settings_by_begin();
    settings.beats = [](const MeasureCase& /*one*/, const MeasureCase& /*other*/, RuleBegin) { return false; };
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"linear", 4000, bytes}; };
    const auto linear_takes = [&](double us) {
        return between(
            found, settings,
            MeasuredTimes({{{"linear", 4000, 32000}, us}, {{"latency", 0, 32000}, 10}, {{"native", 0, 32000}, 40}}));
    };
    const std::vector<SizeChoice> slower_by_half = linear_takes(15);  // 5 by a narrow rule
    for (const SizeChoice& one : slower_by_half) EXPECT_EQ(one.choice.algorithm, "linear");
    EXPECT_EQ(slower_by_half.back().cost_us.median, 15);
    EXPECT_EQ(slower_by_half.back().native_us.median, 40);
    EXPECT_EQ(linear_takes(31).back().choice, found.back().choice);  // more than 10 by a narrow rule, too
    settings.price_us = [](const MeasureCase& one, RuleBegin) { return one.segment_bytes == 0 ? 2.0 : 1.0; };
    EXPECT_EQ(linear_takes(15).back().choice, found.back().choice);  // no rule is quicker
}

// Prices alone would take the model's.
TEST(PredictionsBetween, WhatWasMeasuredIsBelievedBeforePrices) {
    const std::vector<SizeChoice> found = {choice("latency", 0, 30000), choice("latency", 0, 32000)};
    SearchSettings settings = settings_by_begin();
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"linear", 4000, bytes}; };
    const MeasuredTimes slow({{{"linear", 4000, 32000}, 31}, {{"latency", 0, 32000}, 10}});
    EXPECT_EQ(between(found, settings).back().choice.algorithm, "linear");
    EXPECT_EQ(between(found, settings, slow).back().choice, found.back().choice);
}

}  // namespace
}  // namespace bcastgen
