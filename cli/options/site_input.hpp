// The input of the commands that write a site's library.
#pragma once

#include <string>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

struct SiteInput {
    Network network;
    SitePlan plan;
    DecisionTable table;
    std::string command;  ///< the command that regenerates the library, for banners: without directories of this host
};

/// Reads a tuning file; an empty `tuning`: the table is predicted by what messages cost. Throws InputErrors.
[[nodiscard]] DecisionTable load_table(const Network& network, const SitePlan& plan, const std::string& tuning,
                                       const MessageCosts& costs);

/// Reads a topology file and a tuning file; an empty `tuning`: the table is predicted by the costs that `costs_of`
/// says. Throws InputErrors.
[[nodiscard]] SiteInput load_site(const std::string& topology, const std::string& tuning,
                                  MessageCosts (*costs_of)(const Network&) = message_costs);

}  // namespace bcastgen
