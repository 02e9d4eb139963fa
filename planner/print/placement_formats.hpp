// A placement of a grid's ranks, written down; docs/formats.md describes the JSON.
#pragma once

#include <string>

#include "planner/grid/placement.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// For reading in a terminal: what the mappings cost, the bound, and the grid as it is placed.
[[nodiscard]] std::string placement_text(const Network& network, const GridPlacement& placement);

/// For programs: format bcastgen-placement/1.
[[nodiscard]] std::string placement_json(const Network& network, const GridPlacement& placement);

}  // namespace bcastgen
