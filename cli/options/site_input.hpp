// The input of the commands that write a site's library.
#pragma once

#include <string>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

struct SiteInput {
    Network network;
    SitePlan plan;
    DecisionTable table;
    std::string command;  ///< the command that regenerates the library, for banners: without directories of this host
};

/// Reads a tuning file; an empty `tuning`: the table is predicted. Throws InputErrors.
[[nodiscard]] DecisionTable load_table(const Network& network, const SitePlan& plan, const std::string& tuning);

/// Reads a topology file and a tuning file; an empty `tuning`: the table is predicted. Throws InputErrors.
[[nodiscard]] SiteInput load_site(const std::string& topology, const std::string& tuning);

}  // namespace bcastgen
