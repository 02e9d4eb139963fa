// The grid of ranks of the commands that look at broadcasts side by side.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "planner/grid/grid_plan.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan_options.hpp"

namespace bcastgen {

struct GridOptions {
    std::string grid;
    std::string mapping;
    int ranks_per_machine = 1;
    int root_position = -1;  ///< -1: all
};

/// --grid and --ranks-per-machine.
void add_grid_options(CLI::App& command, GridOptions& options);

/// The grid, and the places that its ranks have. Throws InputErrors, also where there are too few.
struct GridPlaces {
    Grid grid;
    Slots slots;
};
[[nodiscard]] GridPlaces grid_places(const Network& network, const GridOptions& options, const PlanOptions& plan);

/// What `bcastgen plan --grid` plans: ranks where the mapping file says, or by machines' names. Throws InputErrors.
[[nodiscard]] GridRequest grid_request(const Network& network, const GridOptions& options, const PlanOptions& plan);

}  // namespace bcastgen
