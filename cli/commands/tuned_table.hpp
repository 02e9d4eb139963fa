// The outcome of a tuning as a decision table, and in words.
#pragma once

#include <string>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "tuner/search/tuner.hpp"

namespace bcastgen {

/// The rules and validations of a tuning that asked for this margin.
[[nodiscard]] DecisionTable tuned_table(const TuneResult& result, double margin);

/// "MPICH Version: 4.0.2" -> "mpich 4.0.2"; in a simulation whose rules native follows, and in what.
[[nodiscard]] std::string mpi_in_words(const RunConditions& on);

/// The table's rules as lines, with how many times faster than native each was found to be.
[[nodiscard]] std::string tuned_table_text(const Network& network, const RunConditions& on, const TuneResult& result,
                                           const DecisionTable& table);

}  // namespace bcastgen
