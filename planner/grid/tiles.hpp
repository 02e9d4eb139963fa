// Mappings in tiles: the grid cut into rectangles, one for each switch, and those gathered in larger ones for the
// switches above.
//
//     4x8 grid, 4 switches with 8 machines     block: s0 s0 s0 s0 s0 s0 s0 s0     in tiles: s0 s0 s0 s0 s1 s1 s1 s1
//     (every row crosses no trunk in blocks,          s1 s1 s1 s1 s1 s1 s1 s1              s0 s0 s0 s0 s1 s1 s1 s1
//     but all 8 columns cross each; in tiles          s2 s2 s2 s2 s2 s2 s2 s2              s2 s2 s2 s2 s3 s3 s3 s3
//     2 rows and 4 columns do)                        s3 s3 s3 s3 s3 s3 s3 s3              s2 s2 s2 s2 s3 s3 s3 s3
#pragma once

#include "planner/grid/crossings.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// The mapping in tiles of least cost, of the ways to choose the tiles' heights and widths, a level of switches each.
/// Where there are too many ways, of as many as a budget allows, those first whose tiles lie in few rows and columns.
[[nodiscard]] Mapping best_tiles(const Network& network, const Cuts& cuts, const PlacementRequest& request);

}  // namespace bcastgen
