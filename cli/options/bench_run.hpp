// A comparison of broadcasts from the topology to the rows: the library is emitted and compiled, and measured in one
// job.
#pragma once

#include <string>
#include <vector>

#include "cli/options/cluster_options.hpp"
#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"
#include "tuner/bench/bench.hpp"

namespace bcastgen {

/// Shows on a terminal how far it is. `hosts`: as hosts_of() says. Throws OutsideFailure.
[[nodiscard]] BenchResult run_bench(const Network& network, const SitePlan& site, const DecisionTable& table,
                                    const ClusterChoice& choice, const std::vector<std::string>& hosts,
                                    const BenchRequest& request);

}  // namespace bcastgen
