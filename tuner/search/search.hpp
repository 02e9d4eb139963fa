// The search for the quickest algorithm and segment size for every message size, on machines that are given.
//
//   references -> segments -> survey -> halve -> coarse -> halve -> refine -> confirm -> cross-overs
//
// All message sizes go through a step together, so that a step is one job on a cluster where starting jobs takes time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "planner/price/price.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

/// Where the search gets its times from: a cluster with a store, or a formula in a test.
class Sampler {
  public:
    Sampler() = default;
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    virtual ~Sampler() = default;

    /// Brings every case to so many samples (those it has count), all in one job, as far as time allows.
    virtual void take(const std::vector<MeasureCase>& cases, int repetitions) = 0;

    /// What has been measured of a case. `samples` is 0 if nothing has.
    [[nodiscard]] virtual Estimate cost_us(const MeasureCase& one) const = 0;

    [[nodiscard]] virtual bool out_of_time() const = 0;
};

struct SearchSettings {
    std::vector<std::size_t> sizes;       ///< message sizes to begin with, growing
    std::vector<std::string> algorithms;  ///< to choose from, beside native
    bool exact = false;                   ///< every repetition takes the same time: one is enough
    int first_repetitions = 3;            ///< of a candidate's first measurement
    int usual_repetitions = 24;           ///< of a contender whose time is not known well by then
    int most_repetitions = 384;           ///< of such a one, if there is time left in the end
    double tight = 0.03;                  ///< a median known this well, relatively, needs no more repetitions
    double nearly = 0.01;         ///< candidates so little slower are as good, where that saves a rule of the table
    double closest_sizes = 1.25;  ///< cross-overs are known well enough between message sizes of this ratio
    /// What no broadcast of the case takes less than, in microseconds; may be empty.
    std::function<double(const MeasureCase&)> lower_bound_us;
    /// What a case is predicted to take by a rule for messages above so many bytes, in microseconds; 0 where that is
    /// not known. May be empty.
    std::function<double(const MeasureCase&, RuleBegin)> price_us;
    /// What a case hardly takes less than, by prices and how far they have been off so far, in microseconds; 0 where
    /// that is not known. May be empty.
    std::function<double(const MeasureCase&)> hardly_less_us;
    /// Whether a case takes less than another by prices, both by rules that begin alike, however far prices have been
    /// off so far. May be empty.
    std::function<bool(const MeasureCase&, const MeasureCase& other, RuleBegin)> beats;
    MayJoin may_join;  ///< empty: all may
    /// Told what was measured of each case, once; may be empty.
    std::function<void(const MeasureCase&, const Estimate&)> on_measured;
    /// What to measure first: the choice of a model; may be empty.
    std::function<MeasureCase(std::size_t message_bytes)> predicted;
    /// By what factor the model's choice beats native at a size, by prediction: where times are measured one after the
    /// other, the sizes where most is at stake come first. May be empty.
    std::function<double(std::size_t message_bytes)> stake;
    /// Told before each step; may be empty.
    std::function<void(const std::string& step, std::size_t cases)> on_step;
};

/// The winner for a message size, native if nothing else.
struct SizeChoice {
    MeasureCase choice;
    Estimate cost_us;
    Estimate native_us;  ///< of no samples: there was no time for this size, and the choice is the model's
};

struct SearchResult {
    std::vector<SizeChoice> choices;  ///< by growing message size: those of the settings, and where choices change
    std::size_t tried = 0;            ///< candidates measured
    std::size_t pruned = 0;           ///< left out since their lower bound was above something measured
    std::size_t exhaustive = 0;       ///< candidates that there are at the settings' sizes
};

[[nodiscard]] SearchResult search(Sampler& sampler, const SearchSettings& settings);

/// Every segment size that the search may end at for a message: 512, 576, 640, … 1K, 1152, … in eighths of
/// each doubling, below the message, and 0 (one piece). 0 alone for algorithms that do not pipeline.
[[nodiscard]] std::vector<std::size_t> segment_ladder(const std::string& algorithm, std::size_t message_bytes);

}  // namespace bcastgen
