// The ways to write down what broadcasts side by side load; docs/formats.md describes them. All are deterministic.
#pragma once

#include <string>

#include "planner/grid/grid_plan.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// For reading in a terminal: the grid, what rows and columns cost together and alone, the trunks that they share.
[[nodiscard]] std::string grid_text(const Network& network, const GridPlan& plan);

/// For programs: format bcastgen-grid/1.
[[nodiscard]] std::string grid_json(const Network& network, const GridPlan& plan);

/// For Graphviz's dot: machines with their ranks, boxed by switch (above 200 machines only the switches), and the
/// trunks, as wide as they are loaded.
[[nodiscard]] std::string grid_dot(const Network& network, const GridPlan& plan);

/// grid_dot's picture, drawn by Graphviz, as plan_svg is. Throws InputErrors for a network of more than 2,000 switches,
/// which Graphviz would lay out for minutes.
[[nodiscard]] std::string grid_svg(const Network& network, const GridPlan& plan);

/// The switch of each rank's machine, a line for each row of the grid; a large grid's first rows and columns.
[[nodiscard]] std::string draw_grid(const Network& network, const Grid& grid, const Mapping& mapping);

}  // namespace bcastgen
