#include "tuner/search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "formula_sampler.hpp"
#include "tuner/bench/bench.hpp"
#include "tuner/search/lower_bound.hpp"

namespace bcastgen {
namespace {

using testing::bandwidth_Bps;
using testing::FormulaSampler;
using testing::modelled_us;
using testing::models;

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
    settings.price_us = [&](const MeasureCase& one, RuleBegin) { return model.cost(one); };
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

// Its table has segments that double; prices know of those between, also where time ends soon.
TEST(Search, TriesTheModelsChoiceInTheSegmentsThatAreQuickestByPrices) {
    SearchSettings settings = settings_with_bounds();
    settings.sizes = {65536, 262144, 1048576};
    settings.predicted = [](std::size_t bytes) { return MeasureCase{"two-tree", 32768, bytes}; };
    settings.price_us = [](const MeasureCase& one, RuleBegin) {
        return one.algorithm == "native" ? 0 : modelled_us(one);
    };
    const std::size_t references = 3 * settings.sizes.size();  // native, what is predicted, and T(m)
    FormulaSampler sampler(false, references + settings.sizes.size());
    for (const SizeChoice& choice : search(sampler, settings).choices) {
        const std::size_t bytes = choice.choice.message_bytes;
        if (std::count(settings.sizes.begin(), settings.sizes.end(), bytes) == 0) continue;
        double least_us = modelled_us({"two-tree", 32768, bytes});
        for (const std::size_t segment : segment_ladder("two-tree", bytes)) {
            if (segment > 16384 && segment < 65536)
                least_us = std::min(least_us, modelled_us({"two-tree", segment, bytes}));
        }
        EXPECT_LE(choice.cost_us.median, 1.02 * least_us) << bytes;
        EXPECT_LT(1.02 * least_us, modelled_us({"two-tree", 32768, bytes})) << bytes << ": nothing to gain";
    }
}

TEST(Search, LeavesOutWhatPricesSpeakAgainst) {
    SearchSettings settings = settings_with_bounds();
    FormulaSampler patient;
    const SearchResult all = search(patient, settings);
    settings.price_us = [](const MeasureCase& one, RuleBegin) { return modelled_us(one); };
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

}  // namespace
}  // namespace bcastgen
