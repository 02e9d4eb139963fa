// What a mapping asks of the trunks, whatever the trees and roots: how many rows, and columns, have ranks on both
// sides.
//
// A row with ranks on both sides of a trunk must send its message across, one way or, for another root, the other. A
// tree of load 1 does so once in either direction. So as many messages cross the trunk at the same time as rows lie
// on both sides of it, and it takes them that many times as long as its bandwidth takes for one.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/grid/grid.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// A trunk that is in use, as the grid's ranks see it. Cut there, the switch tree falls into two sides.
struct Cut {
    int trunk = 0;
    int above = -1;       ///< the next cut upwards; -1: none
    double width = 1;     ///< bandwidth over that of the fastest port of a machine that takes part
    int places = 0;       ///< for ranks, on the side that is below it
    int places_else = 0;  ///< on the other side
};

/// The trunks with places on both sides, over the switch tree hung from one of its switches; upper ones first.
class Cuts {
  public:
    Cuts(const Network& network, const Slots& slots);

    [[nodiscard]] const std::vector<Cut>& all() const { return cuts_; }

    /// Indices of the cuts that have the machine below them, from its switch upwards.
    [[nodiscard]] const std::vector<int>& above(int machine) const;

  private:
    std::vector<Cut> cuts_;
    std::vector<std::vector<int>> above_switch_;
    std::vector<int> machine_switch_;
};

/// How long a row's message is, and a column's, over the mean of both: together 2.
struct Weights {
    double rows = 1;
    double columns = 1;
};

/// Of messages of these lengths, in any unit.
[[nodiscard]] inline Weights weights_of(double row_message, double column_message) {
    const double mean = (row_message + column_message) / 2;
    return {row_message / mean, column_message / mean};
}

/// What rows' and columns' broadcasts cost, each in T(m): the largest number of messages that a trunk carries at the
/// same time over its width, and at least 1, which the machines' ports take.
struct GridCost {
    double rows = 1;
    double columns = 1;

    /// A step of a program that broadcasts along rows and then along columns, in T(m) of the mean message.
    [[nodiscard]] double sum(const Weights& weights) const { return weights.rows * rows + weights.columns * columns; }
};

/// How many rows, or columns, lie on both sides, by cut.
[[nodiscard]] std::vector<int> crossings(const Cuts& cuts, const Grid& grid, const Mapping& mapping, GridLine line);

/// A placement to look for.
struct PlacementRequest {
    Grid grid;
    Slots slots;
    Weights weights{};
    std::uint64_t seed = 1;  ///< of the search
};

[[nodiscard]] GridCost cost_of(const Cuts& cuts, const Grid& grid, const Mapping& mapping);

/// No mapping's cost has a smaller sum. So many ranks below a trunk are so many cells of the grid, and those lie in
/// some rows and columns at least; where all trunks together have too few ranks below them, none may cost so little
/// (docs/placement.md).
[[nodiscard]] GridCost cost_lower_bound(const Cuts& cuts, const Grid& grid, const Weights& weights);

}  // namespace bcastgen
