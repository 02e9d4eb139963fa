// What is told of an emitted library: its trees with their proof, its decision table.
#pragma once

#include <string>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/plan/site_proof.hpp"

namespace bcastgen {

/// A few indented lines: the heights and stages of the planned trees, and for each machine count which algorithm takes
/// which messages.
[[nodiscard]] std::string site_summary(const Network& network, const SitePlan& site, const SiteProof& proof,
                                       const DecisionTable& table);

/// "native up to 4K, binary up to 16K (segment 2K), linear above (segments 1K to 32K)"
[[nodiscard]] std::string thresholds_text(const std::vector<MessageRule>& messages);

}  // namespace bcastgen
