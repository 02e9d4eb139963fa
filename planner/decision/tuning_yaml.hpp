// Reads a decision table (tuning.yaml, docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// The decision table that `text` holds for `network`; `file` names it in errors. Throws InputErrors (diagnostic.hpp)
/// with every error found; a table measured with another plan is one.
[[nodiscard]] DecisionTable read_tuning(std::string_view text, const std::string& file, const Network& network);

}  // namespace bcastgen
