// Reads a decision table (tuning.yaml, docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

/// The decision table that `text` holds for `network`, whose plan is `site`; `file` names it in errors. Throws
/// InputErrors (diagnostic.hpp) with every error found; a table measured with another plan is one.
[[nodiscard]] DecisionTable read_tuning(std::string_view text, const std::string& file, const Network& network,
                                        const SitePlan& site);

/// The same without a topology file to hold it against, for uses that take no trees from it. `topology` becomes the
/// name of the topology that it was measured on.
[[nodiscard]] DecisionTable read_tuning_of_any_plan(std::string_view text, const std::string& file,
                                                    std::string& topology);

}  // namespace bcastgen
