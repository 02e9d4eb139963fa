// Which rules of a decision table stand in the way of a later one.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/decision/decision_table.hpp"

namespace bcastgen {

/// Indices, growing, of the rules before rule `at` that together take every communicator that it is for, so that it is
/// never reached: one of them if one will do. Empty if it is reached.
[[nodiscard]] std::vector<std::size_t> covering_rules(const std::vector<Rule>& rules, std::size_t at);

}  // namespace bcastgen
