// The tables of the generated headers, as C++ text.
#pragma once

#include <string>
#include <string_view>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

/// Definitions of machine_names, machine_switch and switch_links.
[[nodiscard]] std::string machine_tables(const Network& network, const SitePlan& plan);

/// Definitions of the baked orders and trees, ending in baked_sets.
[[nodiscard]] std::string tree_tables(const Network& network, const SitePlan& plan);

/// Definitions of the decision table's rows, ending in rules.
[[nodiscard]] std::string rule_tables(const DecisionTable& table);

/// The algorithm's name as code spells it: two_tree for "two-tree".
[[nodiscard]] std::string identifier_of(bcast::Algorithm algorithm);

/// `text` with every character that is special in a C++ string literal escaped, in quotes.
[[nodiscard]] std::string quoted(const std::string& text);

}  // namespace bcastgen
