// What a run's samples say, sorted by what they are of: for reports.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "tuner/measure/shape.hpp"
#include "tuner/measure/statistics.hpp"
#include "tuner/store/store.hpp"

namespace bcastgen {

/// All samples of one algorithm with one segment size on one message size.
struct MeasuredCase {
    MeasureCase one;
    std::vector<double> times_us;  ///< in the sequence that they came in, none left out
    Estimate time_us;
    bool bytes_ok = true;
};

/// All samples of one shape on one set of machines.
struct Findings {
    Shape shape;
    std::string placement;            ///< near, spread
    std::vector<MeasuredCase> cases;  ///< by algorithm, message size, segment size
    /// By message size: what no broadcast from machine to machine can be below (tuner/clusters/costed_network.hpp).
    /// Empty where that is not known, or times are not completions.
    std::map<std::size_t, double> floor_us{};
    std::vector<StoredValidation> rejected{};  ///< what the search chose and the validation did not keep
};

/// Which of a sample's times a shape is judged by: completion, or where ranks enter one after the other the mean of
/// their times in the call.
[[nodiscard]] bool judged_by_completion(const Shape& shape);

/// By arrival (balanced first), ranks per machine, machines (most first), placement (near first).
[[nodiscard]] std::vector<Findings> findings_of(const StoredRun& run, const std::vector<StoredSample>& samples);

[[nodiscard]] const Findings* find(const std::vector<Findings>& all, const Shape& shape, const std::string& placement);

/// The case of least median among an algorithm's segment sizes; null if there is none.
[[nodiscard]] const MeasuredCase* best_of(const Findings& findings, const std::string& algorithm, std::size_t bytes);

/// The same among all algorithms that reach every machine.
[[nodiscard]] const MeasuredCase* best_of_all(const Findings& findings, std::size_t bytes);

[[nodiscard]] std::vector<std::string> algorithms_of(const Findings& findings);  ///< by name
[[nodiscard]] std::vector<std::size_t> sizes_of(const Findings& findings);       ///< growing

/// A tuning's decision table on its site; without rules there is none yet.
struct SiteTable {
    std::vector<Rule> rules;
    bool multicast = false;  ///< the site has groups
};

/// What the library does with a message by this table; none where there is no table.
[[nodiscard]] std::optional<MeasureCase> chosen(const SiteTable& table, const Shape& shape, std::size_t bytes);

/// The row that holds for a shape; nullptr if none does.
[[nodiscard]] const Rule* row_for(const SiteTable& table, const Shape& shape);

}  // namespace bcastgen
