#include "tuner/search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "tuner/bench/bench.hpp"
#include "tuner/search/lower_bound.hpp"
#include "tuner/search/validation.hpp"

namespace bcastgen {
namespace {

/// 32 machines by the model of pipelined trees; native a binomial tree. Times in microseconds.
struct Model {
    TreeBound tree;
    double overhead_us;  ///< of a segment
};

const std::map<std::string, Model> models = {
    {"linear", {{1, 31, 1}, 40}},
    {"binary", {{2, 5, 1}, 60}},
    {"two-tree", {{1, 6, 0.5}, 90}},
    {"flat", {{31, 1, 1}, 20}},
};
constexpr double bandwidth_Bps = 12.5e6;

double modelled_us(const MeasureCase& one) {
    const auto message = static_cast<double>(one.message_bytes);
    if (one.algorithm == "native") return 5 * (100 + 1e6 * message / bandwidth_Bps);
    if (one.algorithm == "pingpong") return 100 + 1e6 * message / bandwidth_Bps;
    const Model& model = models.at(one.algorithm);
    const double part = message * model.tree.share;
    const double segment = one.segment_bytes == 0 ? part : std::min(part, static_cast<double>(one.segment_bytes));
    const double stages = std::ceil(part / segment) + model.tree.height - 1;
    return stages * (model.overhead_us + 1e6 * model.tree.stage / model.tree.share * segment / bandwidth_Bps);
}

/// A cluster that a formula stands for; with noise, a few samples in a hundred take far longer.
class FormulaSampler : public Sampler {
  public:
    explicit FormulaSampler(bool noisy = false, std::size_t most_samples = 1000000)
        : noisy_(noisy), most_samples_(most_samples) {}

    void take(const std::vector<MeasureCase>& cases, int repetitions) override {
        for (const MeasureCase& one : cases) {
            std::vector<double>& values = of(one);
            while (values.size() < static_cast<std::size_t>(repetitions) && !out_of_time()) {
                const bool in_frames = one.algorithm == "two-tree" && one.segment_bytes == frame_segment_bytes;
                values.push_back((in_frames && frames_us > 0 ? frames_us : modelled_us(one)) * factor());
                ++taken;
            }
        }
    }
    [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override {
        for (const auto& [key, values] : samples_) {
            if (key == one) return noisy_ ? estimate(values) : exact_estimate(values);
        }
        return {};
    }
    [[nodiscard]] bool out_of_time() const override { return taken >= most_samples_; }

    std::size_t taken = 0;
    double frames_us = 0;  ///< what a two-tree takes with the smallest segments, if not what the model says

  private:
    std::vector<double>& of(const MeasureCase& one) {
        for (auto& [key, values] : samples_) {
            if (key == one) return values;
        }
        samples_.push_back({one, {}});
        return samples_.back().second;
    }
    double factor() {
        if (!noisy_) return 1;
        state_ = state_ * 6364136223846793005U + 1442695040888963407U;
        const double fraction = static_cast<double>(state_ >> 11) / 9007199254740992.0;
        return fraction > 0.95 ? 10 : 1 + 0.1 * fraction;
    }
    bool noisy_;
    std::size_t most_samples_;
    std::uint64_t state_ = 1;
    std::vector<std::pair<MeasureCase, std::vector<double>>> samples_;
};

SearchSettings settings_with_bounds() {
    SearchSettings settings;
    settings.sizes = {256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304};
    settings.algorithms = {"linear", "binary", "two-tree", "flat"};
    settings.exact = true;
    settings.lower_bound_us = [](const MeasureCase& one) {
        return lower_bound_us(models.at(one.algorithm).tree, {bandwidth_Bps, 0}, one);
    };
    return settings;
}

double best_of_all_us(std::size_t bytes, const std::vector<std::string>& algorithms) {
    double best = modelled_us({"native", 0, bytes});
    for (const std::string& algorithm : algorithms) {
        for (const std::size_t segment : segment_ladder(algorithm, bytes)) {
            best = std::min(best, modelled_us({algorithm, segment, bytes}));
        }
    }
    return best;
}

TEST(LowerBound, IsBelowEveryModelledTime) {
    for (const auto& [algorithm, model] : models) {
        for (const std::size_t bytes : {1U, 1000U, 65536U, 1000000U}) {
            for (const std::size_t segment : segment_ladder(algorithm, bytes)) {
                const MeasureCase one{algorithm, segment, bytes};
                EXPECT_LE(lower_bound_us(model.tree, {bandwidth_Bps, 0}, one), modelled_us(one));
                EXPECT_LE(lower_bound_us(model.tree, {bandwidth_Bps, 65536}, one),
                          lower_bound_us(model.tree, {bandwidth_Bps, 0}, one));
            }
        }
    }
}

TEST(LowerBound, KnowsWhatAnIdealPipelineTakes) {
    const WireSpeed wire{1e6, 0};  // a byte in a microsecond
    EXPECT_DOUBLE_EQ(lower_bound_us({1, 4, 1}, wire, {"linear", 100, 1000}), 1000 + 3 * 100);
    EXPECT_DOUBLE_EQ(lower_bound_us({1, 4, 1}, wire, {"linear", 0, 1000}), 4 * 1000);
    EXPECT_DOUBLE_EQ(lower_bound_us({1, 4, 1}, wire, {"linear", 400, 1000}), 1000 - 200 + 3 * 400);
    EXPECT_DOUBLE_EQ(lower_bound_us({3, 4, 1}, wire, {"kary3", 100, 1000}), 3000);
    EXPECT_DOUBLE_EQ(lower_bound_us({1, 4, 1}, {1e6, 5000}, {"linear", 100, 1000}), 0);
}

TEST(Search, IsCloseToTheBestThereIsWithAFractionOfTheMeasurements) {
    FormulaSampler sampler;
    const SearchSettings settings = settings_with_bounds();
    const SearchResult result = search(sampler, settings);
    for (const SizeChoice& choice : result.choices) {
        const double best = best_of_all_us(choice.choice.message_bytes, settings.algorithms);
        const std::size_t bytes = choice.choice.message_bytes;
        const bool on_grid = std::count(settings.sizes.begin(), settings.sizes.end(), bytes) > 0;
        EXPECT_LE(choice.cost_us.median, (on_grid ? 1.015 : 1.1) * best) << bytes << choice.choice.algorithm;
    }
    EXPECT_LT(4 * result.tried, result.exhaustive);
    EXPECT_GT(result.pruned, 0U);
}

TEST(Search, LosesNothingByPruning) {
    SearchSettings settings = settings_with_bounds();
    FormulaSampler pruning;
    const SearchResult with = search(pruning, settings);
    settings.lower_bound_us = nullptr;
    FormulaSampler thorough;
    const SearchResult without = search(thorough, settings);
    EXPECT_LT(pruning.taken, thorough.taken);
    ASSERT_EQ(with.choices.size(), without.choices.size());
    for (std::size_t i = 0; i < with.choices.size(); ++i) {
        EXPECT_EQ(with.choices[i].choice, without.choices[i].choice);
    }
}

TEST(Search, FindsWhereChoicesCross) {
    SearchSettings settings = settings_with_bounds();
    settings.algorithms = {"flat"};
    FormulaSampler sampler;
    const SearchResult result = search(sampler, settings);
    // flat in one piece: 20 + 31 m / B; native: 500 + 5 m / B
    const double crossing_bytes = 480 / 26.0 * 12.5;
    ASSERT_GE(result.choices.size(), 2U);
    for (const SizeChoice& choice : result.choices) {
        const bool below = static_cast<double>(choice.choice.message_bytes) < crossing_bytes;
        EXPECT_EQ(choice.choice.algorithm, below ? "flat" : "native") << choice.choice.message_bytes;
    }
}

TEST(Search, BisectsDownToTheRatioAskedFor) {
    SearchSettings settings = settings_with_bounds();
    settings.sizes = {64, 1048576};
    FormulaSampler sampler;
    const SearchResult result = search(sampler, settings);
    for (std::size_t i = 1; i < result.choices.size(); ++i) {
        const MeasureCase& below = result.choices[i - 1].choice;
        const MeasureCase& above = result.choices[i].choice;
        ASSERT_LT(below.message_bytes, above.message_bytes);
        if (below.algorithm == above.algorithm && below.segment_bytes == above.segment_bytes) continue;
        EXPECT_LE(static_cast<double>(above.message_bytes),
                  settings.closest_sizes * static_cast<double>(below.message_bytes));
    }
}

/// A latency tree that takes so many microseconds from 4K to 8K, and is slow elsewhere.
class DipSampler : public Sampler {
  public:
    explicit DipSampler(double latency_us) : latency_us_(latency_us) {}

    [[nodiscard]] double cost(const MeasureCase& one) const {
        const bool inside = one.message_bytes > 4096 && one.message_bytes <= 8192;
        if (one.algorithm == "latency") return inside ? latency_us_ : 900;
        return one.algorithm == "linear" ? 200 : 1000;
    }
    void take(const std::vector<MeasureCase>& cases, int /*repetitions*/) override {
        for (const MeasureCase& one : cases) taken_.push_back(one);
    }
    [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override {
        if (std::find(taken_.begin(), taken_.end(), one) == taken_.end()) return {};
        return exact_estimate({cost(one)});
    }
    [[nodiscard]] bool out_of_time() const override { return false; }
    [[nodiscard]] std::size_t taken_between() const {
        return static_cast<std::size_t>(std::count_if(taken_.begin(), taken_.end(), [](const MeasureCase& one) {
            return one.message_bytes > 4096 && one.message_bytes < 16384;
        }));
    }

  private:
    double latency_us_;
    std::vector<MeasureCase> taken_;
};

SearchResult search_around_dip(DipSampler& sampler) {
    const DipSampler model(100);
    SearchSettings settings;
    settings.exact = true;
    settings.sizes = {4096, 16384};
    settings.algorithms = {"latency", "linear"};
    settings.price_us = [&](const MeasureCase& one) { return model.cost(one); };
    settings.predicted = [&](std::size_t bytes) {
        const MeasureCase latency{"latency", 0, bytes};
        const MeasureCase linear{"linear", 2048, bytes};
        return model.cost(latency) < model.cost(linear) ? latency : linear;
    };
    return search(sampler, settings);
}

TEST(Search, LooksWhereTheModelKnowsBetterThanBothNeighbours) {
    DipSampler sampler(100);
    const SearchResult result = search_around_dip(sampler);
    for (const std::size_t bytes : {5000U, 6500U}) {
        const auto rule = std::find_if(result.choices.begin(), result.choices.end(),
                                       [&](const SizeChoice& choice) { return choice.choice.message_bytes >= bytes; });
        EXPECT_EQ(rule->choice.algorithm, "latency") << bytes;
    }
    EXPECT_EQ(result.choices.front().choice.algorithm, "linear");
    EXPECT_EQ(result.choices.back().choice.algorithm, "linear");
}

TEST(Search, AsksAModelThatIsWrongOnlyOnce) {
    DipSampler sampler(300);
    const SearchResult result = search_around_dip(sampler);
    for (const SizeChoice& choice : result.choices) EXPECT_EQ(choice.choice.algorithm, "linear");
    EXPECT_GT(sampler.taken_between(), 0U);
    EXPECT_LE(sampler.taken_between(), 4U);  // the ends' choices, the model's and native, at one size
}

TEST(Search, IsNotMisledByOutliers) {
    SearchSettings settings = settings_with_bounds();
    settings.exact = false;
    settings.first_repetitions = 5;
    FormulaSampler sampler(true);
    const SearchResult result = search(sampler, settings);
    for (const SizeChoice& choice : result.choices) {
        const double best = best_of_all_us(choice.choice.message_bytes, settings.algorithms);
        EXPECT_LE(modelled_us(choice.choice), 1.2 * best) << choice.choice.message_bytes << choice.choice.algorithm;
    }
}

TEST(Search, GoesOnUntilTimesAreKnownWellOrTimeIsOut) {
    SearchSettings settings = settings_with_bounds();
    settings.exact = false;
    settings.sizes = {65536};
    settings.usual_repetitions = 6;
    FormulaSampler patient(true);
    const SizeChoice choice = search(patient, settings).choices[0];
    EXPECT_LE(relative_half_width(choice.cost_us), settings.tight);
    EXPECT_GT(choice.cost_us.samples, 6U);
    FormulaSampler hurried(true, patient.taken / 2);
    (void)search(hurried, settings);
    EXPECT_EQ(hurried.taken, patient.taken / 2);
}

TEST(Search, HasAnAnswerWheneverTimeRunsOut) {
    const SearchSettings settings = settings_with_bounds();
    for (std::size_t most = 0; most < 120; most += 7) {
        FormulaSampler sampler(false, most);
        const SearchResult result = search(sampler, settings);
        ASSERT_GE(result.choices.size(), settings.sizes.size());
        for (const SizeChoice& choice : result.choices) {
            EXPECT_TRUE(choice.cost_us.samples > 0 || choice.choice.algorithm == "native");
            EXPECT_TRUE(choice.native_us.samples == 0 || choice.cost_us.median <= choice.native_us.median);
        }
    }
}

TEST(Search, TakesTheModelsChoiceWhereNothingIsMeasured) {
    SearchSettings settings = settings_with_bounds();
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"linear", bytes / 16, bytes}; };
    settings.stake = [](std::size_t bytes) { return bytes == 1048576 ? 3.0 : bytes == 65536 ? 2.0 : 1.0; };
    std::size_t told = 0;
    settings.on_measured = [&](const MeasureCase& one, const Estimate&) {
        told += one.algorithm == "pingpong" ? 0 : 1;
    };
    FormulaSampler sampler(false, 4);  // native, what is predicted and T(m) where most is at stake, and one more
    const SearchResult result = search(sampler, settings);
    ASSERT_EQ(result.choices.size(), settings.sizes.size());
    for (const SizeChoice& choice : result.choices) {
        const std::size_t bytes = choice.choice.message_bytes;
        EXPECT_EQ(choice.native_us.samples > 0, bytes == 1048576 || bytes == 65536) << bytes;
        EXPECT_TRUE(choice.native_us.samples > 0 || choice.choice == settings.predicted(bytes)) << bytes;
    }
    EXPECT_EQ(told, 3U);
}

TEST(Search, LeavesOutWhatPricesSpeakAgainst) {
    SearchSettings settings = settings_with_bounds();
    FormulaSampler patient;
    const SearchResult all = search(patient, settings);
    settings.price_us = modelled_us;
    settings.hardly_less_us = [](const MeasureCase& one) { return 0.9 * modelled_us(one); };
    FormulaSampler quick;
    const SearchResult some = search(quick, settings);
    EXPECT_LT(quick.taken, patient.taken * 9 / 10);
    for (const SizeChoice& choice : some.choices) {
        for (const SizeChoice& other : all.choices) {
            if (other.choice.message_bytes != choice.choice.message_bytes) continue;
            EXPECT_LE(choice.cost_us.median, 1.02 * other.cost_us.median) << choice.choice.message_bytes;
        }
    }
}

TEST(Search, TriesSmallFramesBeforeTheLongClimb) {
    SearchSettings settings = settings_with_bounds();
    settings.sizes = {4096};
    std::vector<std::string> steps;
    settings.on_step = [&](const std::string& step, std::size_t) { steps.push_back(step); };
    FormulaSampler sampler;
    sampler.frames_us = 1000;
    const SearchResult result = search(sampler, settings);
    EXPECT_EQ(result.choices[0].choice, (MeasureCase{"two-tree", frame_segment_bytes, 4096}));
    EXPECT_LT(std::find(steps.begin(), steps.end(), "frames"), std::find(steps.begin(), steps.end(), "refine"));
}

TEST(Search, ClimbsOnTheLadderAlsoWhereSmallFramesLeadForNow) {
    SearchSettings settings = settings_with_bounds();
    settings.sizes = {4096};
    FormulaSampler sampler;
    sampler.frames_us = 1700;  // less than in segments of 1024, more than in segments of 512
    ASSERT_LT(modelled_us({"two-tree", 512, 4096}), sampler.frames_us);
    ASSERT_GT(modelled_us({"two-tree", 1024, 4096}), sampler.frames_us);
    EXPECT_EQ(search(sampler, settings).choices[0].choice, (MeasureCase{"two-tree", 512, 4096}));
}

TEST(Search, KnowsTheSegmentSizes) {
    EXPECT_EQ(segment_ladder("linear", 1500),
              (std::vector<std::size_t>{512, 576, 640, 704, 768, 832, 896, 960, 1024, 1152, 1280, 1408, 0}));
    const std::vector<std::size_t> large = segment_ladder("linear", 1048576);
    EXPECT_TRUE(std::is_sorted(large.begin(), large.end() - 1));
    for (const std::size_t segment : {2048U, 6144U, 9216U, 524288U}) {
        EXPECT_EQ(std::count(large.begin(), large.end(), segment), 1) << segment;
    }
    EXPECT_EQ(segment_ladder("linear", 512), (std::vector<std::size_t>{0}));
    EXPECT_EQ(segment_ladder("native", 1048576), (std::vector<std::size_t>{0}));
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
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    // flat is quicker than native below 230 bytes only, the linear tree from some 30K on
    std::vector<Trial> trials;
    for (const std::size_t bytes : {64U, 200U, 1024U}) trials.push_back({bytes, {"flat", 0, bytes}});
    for (const std::size_t bytes : {8192U, 1048576U}) trials.push_back({bytes, {"linear", 2048, bytes}});
    const auto verdicts = validate(sampler, trials, settings);
    const std::vector<MessageRule> rules = surviving_rules({verdicts}, settings.margin);
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
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    std::vector<Trial> trials;
    for (const std::size_t bytes : {65536U, 131072U, 1048576U}) trials.push_back({bytes, {"linear", 2048, bytes}});
    const std::vector<std::vector<Verdict>> verdicts{validate(sampler, trials, settings)};
    EXPECT_EQ(surviving_rules(verdicts, settings.margin).size(), 1U);
    const auto not_below_64k = [](const MessageRule&, std::size_t own_above, std::size_t above) {
        return own_above == 131072 && above == 65536;
    };
    const std::vector<MessageRule> rules = surviving_rules(verdicts, settings.margin, not_below_64k);
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
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    const std::vector<Trial> trials = {{1048576, {"two-tree", 8192, 1048576}}};
    std::vector<Verdict> wins = validate(sampler, trials, settings);
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
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    const std::vector<Trial> trials = {{64, {"flat", 0, 64}},                       // wins
                                       {1024, {"flat", 0, 1024}},                   // loses
                                       {4096, {"native", 0, 4096}},                 // what the search found
                                       {8192, {"native", 0, 8192}, true},           // what the model takes
                                       {524288, {"two-tree", 8192, 524288}},        // not measured
                                       {1048576, {"linear", 2048, 1048576}, true},  // nor this, but foreseen
                                       {2097152, {"linear", 4096, 2097152}}};       // wins
    std::vector<Verdict> verdicts = validate(sampler, trials, settings);
    for (const std::size_t unmeasured : {4U, 5U}) verdicts[unmeasured] = {trials[unmeasured], {}, {}, false};
    verdicts[5].foreseen = true;
    std::vector<std::pair<std::size_t, std::string>> seen;
    for (const MessageRule& rule : surviving_rules({verdicts}, settings.margin)) {
        seen.emplace_back(rule.up_to, std::string(bcast::name_of(rule.algorithm)) + " " + name_of(rule.grounds));
    }
    // One rule for native from 65 bytes to 1M: of it, some was measured.
    EXPECT_EQ(seen, (std::vector<std::pair<std::size_t, std::string>>{{64, "flat measured"},
                                                                      {1048575, "native measured"},
                                                                      {1048576, "linear predicted"},
                                                                      {bcast::no_limit, "linear measured"}}));
    const std::vector<Verdict> hurried = {{trials[4], {}, {}, false}};
    EXPECT_EQ(surviving_rules({hurried}, settings.margin)[0].grounds, Grounds::no_time);
    // Measured on one set of machines, and foreseen on the other.
    std::vector<Verdict> foreseen = verdicts;
    foreseen[6] = {trials[6], {}, {}, false, true};
    const MessageRule last = surviving_rules({verdicts, foreseen}, settings.margin).back();
    EXPECT_EQ(last.algorithm, bcast::Algorithm::linear);
    EXPECT_EQ(last.grounds, Grounds::predicted);
}

TEST(Validation, TakesWhatItHadNoTimeForToBeLikeItsNeighbours) {
    FormulaSampler sampler;
    ValidationSettings settings;
    settings.exact = true;
    std::vector<Trial> trials;
    for (const std::size_t bytes : {524288U, 800000U, 1048576U, 2097152U}) {
        trials.push_back({bytes, {"linear", 2048, bytes}});
    }
    std::vector<Verdict> verdicts = validate(sampler, trials, settings);
    const auto without = [&](std::size_t trial) {
        std::vector<Verdict> fewer = verdicts;
        fewer[trial] = {trials[trial], {}, {}, false};
        return surviving_rules({verdicts, fewer}, settings.margin);
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
