#include "tuner/search/validation.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "formula_sampler.hpp"
#include "tuner/measure/statistics.hpp"

namespace bcastgen {
namespace {

using testing::FormulaSampler;

const double margin = ValidationSettings().margin;

/// How trials stand to native where every time is known exactly.
std::vector<Verdict> exact_verdicts(const std::vector<Trial>& trials) {
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    return validate(sampler, trials, settings);
}

TEST(Validation, TriesEveryRuleOnAndOffTheGrid) {
    const auto chosen = [](const char* algorithm, std::size_t bytes) {
        return SizeChoice{{algorithm, 0, bytes}, {}, {}};
    };
    const std::vector<Trial> trials =
        trials_of({chosen("native", 1024), chosen("flat", 4096), chosen("linear", 65536)});
    std::vector<std::pair<std::size_t, std::string>> seen;
    for (const Trial& trial : trials) {
        EXPECT_EQ(trial.choice.message_bytes, trial.message_bytes);
        seen.emplace_back(trial.message_bytes, trial.choice.algorithm);
    }
    EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::string>>{{1, "native"},
                                                                      {5, "native"},
                                                                      {17, "native"},
                                                                      {65, "native"},
                                                                      {257, "native"},
                                                                      {1024, "native"},
                                                                      {2049, "flat"},
                                                                      {4096, "flat"},
                                                                      {16385, "linear"},
                                                                      {65536, "linear"},
                                                                      {98305, "linear"}}));
}

TEST(Validation, TurnsRulesNativeThatDoNotWinByTheMargin) {
    // flat is quicker than native below 230 bytes only, the linear tree from some 30K on
    std::vector<Trial> trials;
    for (const std::size_t bytes : {64U, 200U, 1024U}) trials.push_back({bytes, {"flat", 0, bytes}});
    for (const std::size_t bytes : {8192U, 1048576U}) trials.push_back({bytes, {"linear", 2048, bytes}});
    const auto verdicts = exact_verdicts(trials);
    const std::vector<MessageRule> rules = surviving_rules({verdicts}, margin);
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[0].algorithm, bcast::Algorithm::flat);
    EXPECT_EQ(rules[0].up_to, 200U);
    EXPECT_EQ(rules[1].algorithm, bcast::Algorithm::native);
    EXPECT_EQ(rules[1].up_to, 1048575U);  // where between 8K and 1M linear begins to win is not known
    EXPECT_EQ(rules[2].algorithm, bcast::Algorithm::linear);
    EXPECT_EQ(rules[2].segment_bytes, 2048U);
    EXPECT_EQ(rules[2].up_to, bcast::no_limit);
}

TEST(Validation, KeepsRulesApartThatMayNotJoin) {
    std::vector<Trial> trials;
    for (const std::size_t bytes : {65536U, 131072U, 1048576U}) trials.push_back({bytes, {"linear", 2048, bytes}});
    const std::vector<std::vector<Verdict>> verdicts{exact_verdicts(trials)};
    EXPECT_EQ(surviving_rules(verdicts, margin).size(), 1U);
    const auto not_below_64k = [](const MessageRule&, std::size_t own_above, std::size_t above) {
        return own_above == 131072 && above == 65536;
    };
    const std::vector<MessageRule> rules = surviving_rules(verdicts, margin, not_below_64k);
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[0].up_to, 65536U);
    EXPECT_EQ(rules[1].up_to, bcast::no_limit);
}

TEST(Validation, LeavesNoRuleWithSegmentsThatAreLongerThanItsMessages) {
    Verdict wins;
    wins.measured = true;
    wins.native_us = {8, 20, 20, 20};
    wins.chosen_us = {8, 10, 10, 10};
    Verdict loses = wins;
    loses.chosen_us = {8, 30, 30, 30};
    const auto of = [](Verdict verdict, std::size_t bytes) {
        verdict.trial = {bytes, {"linear", 2048, bytes}};
        return verdict;
    };
    const auto never = [](const MessageRule&, std::size_t, std::size_t) { return false; };
    const std::vector<MessageRule> joined =
        surviving_rules({{of(wins, 1025), of(wins, 4096), of(wins, 8192)}}, 0.02, never);
    ASSERT_EQ(joined.size(), 2U);
    EXPECT_EQ(joined[0].up_to, 4096U);
    const std::vector<MessageRule> alone = surviving_rules({{of(wins, 1025), of(loses, 4096)}}, 0.02);
    ASSERT_EQ(alone.size(), 2U);
    EXPECT_EQ(alone[0].up_to, 1025U);
    EXPECT_EQ(alone[0].segment_bytes, 1025U);
}

TEST(Validation, GivesUpARuleThatLosesOnOneSetOfMachines) {
    const std::vector<Trial> trials = {{1048576, {"two-tree", 8192, 1048576}}};
    std::vector<Verdict> wins = exact_verdicts(trials);
    std::vector<Verdict> loses = wins;
    loses[0].chosen_us.median = loses[0].chosen_us.low = loses[0].chosen_us.high = 2 * wins[0].native_us.median;
    EXPECT_EQ(surviving_rules({wins, wins}, 0.02)[0].algorithm, bcast::Algorithm::two_tree);
    EXPECT_EQ(surviving_rules({wins, loses}, 0.02)[0].algorithm, bcast::Algorithm::native);
}

TEST(Validation, LeavesNativeWhatItHadNoTimeFor) {
    FormulaSampler sampler(false, 0);
    const auto verdicts = validate(sampler, {{1048576, {"two-tree", 8192, 1048576}}}, {});
    EXPECT_FALSE(verdicts[0].measured);
    EXPECT_EQ(surviving_rules({verdicts}, 0.02)[0].algorithm, bcast::Algorithm::native);
}

TEST(Validation, TakesTooFewSamplesForNone) {
    FormulaSampler sampler(true, 12);  // eight of native
    std::vector<Verdict> verdicts = validate(sampler, {{1048576, {"two-tree", 8192, 1048576}}}, {});
    EXPECT_EQ(verdicts[0].chosen_us.samples, 4U);
    EXPECT_FALSE(verdicts[0].measured);
    EXPECT_EQ(surviving_rules({verdicts}, 0.02)[0].algorithm, bcast::Algorithm::native);
    EXPECT_EQ(surviving_rules({verdicts}, 0.02)[0].grounds, Grounds::no_time);
    verdicts[0].foreseen = true;
    EXPECT_EQ(surviving_rules({verdicts}, 0.02)[0].algorithm, bcast::Algorithm::two_tree);
}

TEST(Validation, BelievesAClearSearch) {
    const auto choice = [](const char* algorithm, std::size_t bytes, double native_us, std::size_t samples) {
        return SizeChoice{{algorithm, 0, bytes}, {samples, 100, 0}, {samples, native_us, 0}};
    };
    const std::vector<SizeChoice> choices = {choice("flat", 1024, 200, 3), choice("linear", 5000, 0, 0),
                                             choice("linear", 65536, 150, 3), choice("linear", 131072, 120, 3),
                                             choice("linear", 262144, 300, 2)};
    const auto clear = [&](std::size_t bytes) { return is_clear(choices, {bytes, {"linear", 0, bytes}}); };
    EXPECT_TRUE(is_clear(choices, {1, {"flat", 0, 1}}));
    EXPECT_TRUE(is_clear(choices, {4097, {"flat", 0, 4097}}));
    EXPECT_TRUE(clear(4097));  // with nothing but the model's word on 5000
    EXPECT_FALSE(is_clear(choices, {4097, {"binary", 0, 4097}}));
    EXPECT_TRUE(clear(65536));
    EXPECT_FALSE(clear(100001));  // a win of a fifth may be chance
    EXPECT_FALSE(clear(262144));
    EXPECT_FALSE(clear(1048576));  // two samples
    EXPECT_FALSE(is_clear({choice("native", 1024, 200, 3)}, {1024, {"native", 0, 1024}}));
}

TEST(Validation, SaysWhatARuleRestsOn) {
    const std::vector<Trial> trials = {{64, {"flat", 0, 64}},                       // wins
                                       {1024, {"flat", 0, 1024}},                   // loses
                                       {4096, {"native", 0, 4096}},                 // what the search found
                                       {8192, {"native", 0, 8192}, true},           // what the model takes
                                       {524288, {"two-tree", 8192, 524288}},        // not measured
                                       {1048576, {"linear", 2048, 1048576}, true},  // nor this, but foreseen
                                       {2097152, {"linear", 4096, 2097152}}};       // wins
    std::vector<Verdict> verdicts = exact_verdicts(trials);
    for (const std::size_t unmeasured : {4U, 5U}) verdicts[unmeasured] = {trials[unmeasured], {}, {}, false};
    verdicts[5].foreseen = true;
    std::vector<std::pair<std::size_t, std::string>> seen;
    for (const MessageRule& rule : surviving_rules({verdicts}, margin)) {
        seen.emplace_back(rule.up_to, std::string(bcast::name_of(rule.algorithm)) + " " + name_of(rule.grounds));
    }
    // One rule for native from 65 bytes to 1M: of it, some was measured.
    EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::string>>{{64, "flat measured"},
                                                                      {1048575, "native measured"},
                                                                      {1048576, "linear predicted"},
                                                                      {bcast::no_limit, "linear measured"}}));
    const std::vector<Verdict> hurried = {{trials[4], {}, {}, false}};
    EXPECT_EQ(surviving_rules({hurried}, margin)[0].grounds, Grounds::no_time);
    // Measured on one set of machines, and foreseen on the other.
    std::vector<Verdict> foreseen = verdicts;
    foreseen[6] = {trials[6], {}, {}, false, true};
    const MessageRule last = surviving_rules({verdicts, foreseen}, margin).back();
    EXPECT_EQ(last.algorithm, bcast::Algorithm::linear);
    EXPECT_EQ(last.grounds, Grounds::predicted);
}

TEST(Validation, TakesWhatItHadNoTimeForToBeLikeItsNeighbours) {
    std::vector<Trial> trials;
    for (const std::size_t bytes : {524288U, 800000U, 1048576U, 2097152U}) {
        trials.push_back({bytes, {"linear", 2048, bytes}});
    }
    std::vector<Verdict> verdicts = exact_verdicts(trials);
    const auto without = [&](std::size_t trial) {
        std::vector<Verdict> fewer = verdicts;
        fewer[trial] = {trials[trial], {}, {}, false};
        return surviving_rules({verdicts, fewer}, margin);
    };
    ASSERT_EQ(without(1).size(), 1U);
    EXPECT_EQ(without(1)[0].algorithm, bcast::Algorithm::linear);
    EXPECT_EQ(without(0)[0].algorithm, bcast::Algorithm::native);  // nothing below it has won
    EXPECT_EQ(without(0)[0].up_to, 799999U);
    EXPECT_EQ(without(3).back().algorithm, bcast::Algorithm::native);
    verdicts[2].chosen_us.median = verdicts[2].chosen_us.low = verdicts[2].chosen_us.high =
        2 * verdicts[2].native_us.median;  // lost
    EXPECT_EQ(without(1)[1].algorithm, bcast::Algorithm::native);
    EXPECT_EQ(without(1)[1].up_to, 2097151U);
}

TEST(Validation, DoesNotTakeNoiseForAWin) {
    // Two names for the same times: neither is quicker.
    class Same : public Sampler {
      public:
        void take(const std::vector<MeasureCase>&, int repetitions) override { repetitions_ = repetitions; }
        [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override {
            std::vector<double> values;
            std::uint64_t state = one.algorithm == "native" ? 7 : 13;
            for (int i = 0; i < repetitions_; ++i) {
                state = state * 6364136223846793005U + 1442695040888963407U;
                values.push_back(100 + 50 * static_cast<double>(state >> 11) / 9007199254740992.0);
            }
            return estimate(values, 0.975);
        }
        [[nodiscard]] bool out_of_time() const override { return false; }

      private:
        int repetitions_ = 0;
    };
    Same sampler;
    const auto verdicts = validate(sampler, {{65536, {"binary", 8192, 65536}}}, {});
    EXPECT_FALSE(verdicts[0].wins(0.02));
    EXPECT_LT(verdicts[0].speed_up_low(), 1);
    EXPECT_GT(verdicts[0].speed_up_high(), 1);
}

}  // namespace
}  // namespace bcastgen
