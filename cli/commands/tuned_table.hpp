// The outcome of a tuning in words.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/network/network.hpp"
#include "tuner/measure/savings.hpp"
#include "tuner/search/tuner.hpp"

namespace bcastgen {

/// "MPICH Version: 4.0.2" -> "mpich 4.0.2"; in a simulation whose rules native follows, and in what.
[[nodiscard]] std::string mpi_in_words(const RunConditions& on);

/// The table's rules as lines, with how many times faster than native each was found to be.
[[nodiscard]] std::string tuned_table_text(const Network& network, const RunConditions& on, const TuneResult& result);

/// The same for programs: a row for each message size of each rule.
[[nodiscard]] nlohmann::ordered_json tuned_rows_json(const DecisionTable& table);

/// What the table saves of a workload's time, a line for each of its cells; empty without a workload.
[[nodiscard]] std::string savings_text(const std::vector<Saving>& savings, const Workload& workload);

[[nodiscard]] nlohmann::ordered_json savings_json(const std::vector<Saving>& savings);

}  // namespace bcastgen
