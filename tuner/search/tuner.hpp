// Tuning: searches every shape, validates what was found, and says what the decision table is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/workload.hpp"
#include "tuner/search/lower_bound.hpp"
#include "tuner/search/sampler.hpp"
#include "tuner/search/validation.hpp"

namespace bcastgen {

struct TuneRequest {
    std::vector<int> machines;           ///< of the network: all that take part
    int root = 0;                        ///< machine
    std::vector<int> machine_counts;     ///< growing; the last is all of them
    std::vector<int> ranks_per_machine;  ///< growing
    std::vector<std::string> arrivals;   ///< balanced, imbalanced
    std::vector<std::size_t> sizes;      ///< message bytes, growing
    std::vector<std::string> algorithms;
    double budget_s = 600;  ///< 0: none
    double margin = 0.02;   ///< by which a rule must win over native
    Workload like{};        ///< what decides where time goes first; of no jobs: prediction alone
};

/// What is known without measuring, and whom to tell what goes on.
struct TuneKnowledge {
    TreeBounds tree_bounds;
    WireSpeed wire;
    std::function<MeasureCase(int machines, std::size_t message_bytes)> predicted;
    /// The model's rules for messages above so many bytes, with one rank on each machine and balanced arrivals. May be
    /// empty.
    std::function<std::vector<MessageRule>(int machines, std::size_t message_bytes)> predicted_above;
    /// What a case is predicted to take among so many machines, with one rank on each and balanced arrivals, by a rule
    /// for messages above so many bytes; nothing where there is no price. May be empty.
    std::function<std::optional<double>(int machines, const MeasureCase& one, RuleBegin above)> price_us;
    MayJoinAmong may_join;
    std::function<void(const std::string& line)> on_step;  ///< may be empty
    std::function<void(double fraction)> on_progress;      ///< how much of the work is done; may be empty
};

struct TuneResult {
    DecisionTable table;
    std::vector<StoredValidation> validations;  ///< the table's, with their times
    std::size_t tried = 0;                      ///< candidates measured by the search
    std::size_t pruned = 0;                     ///< not measured, since they cannot win
    std::size_t exhaustive = 0;                 ///< candidates that there are
    std::size_t unvalidated = 0;                ///< message sizes that time did not suffice to validate: native
    std::size_t foreseen = 0;                   ///< neither, but kept, since prices have been near enough so far
    bool cut_short = false;                     ///< the budget ended before the search did
};

/// Tunes on the cluster, with what the ledger holds already, and concludes the store's run. `begin` is when the budget
/// began. Throws OutsideFailure when the cluster fails, or when there was no time to measure anything.
TuneResult tune(const Measuring& measuring, TuningStore& store, std::int64_t run, const TuneRequest& request,
                const TuneKnowledge& knowledge, Clock::time_point begin);

}  // namespace bcastgen
