// Writes a site's library: plan and decision table in, source files out.
#pragma once

#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

struct EmittedFile {
    std::string path;  ///< below the library's directory, '/' between parts
    std::string text;
};

/// The whole library of `network`, whose plan is `site`, with `table` as its decision table. `command` is what
/// regenerates it, for the banners. A function of its arguments alone: same input, same bytes.
[[nodiscard]] std::vector<EmittedFile> emit_library(const Network& network, const SitePlan& site,
                                                    const DecisionTable& table, const std::string& command);

/// An emitted library whose mpi_bcast.cpp has the facts of the site and no code: for a program that has the code in a
/// source of its own, which is compiled once for all sites.
[[nodiscard]] std::vector<EmittedFile> with_facts_alone(std::vector<EmittedFile> library);

}  // namespace bcastgen
