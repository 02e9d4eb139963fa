// A grid of ranks, as programs lay out matrices, and the machine that each rank runs on.
//
//     2x3:   0 1 2      rank r is in row r / columns and column r mod columns
//            3 4 5
#pragma once

#include <string_view>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

constexpr int most_grid_ranks = 1'000'000;

struct Grid {
    int rows = 1;
    int columns = 1;

    [[nodiscard]] int ranks() const { return rows * columns; }
    [[nodiscard]] int row_of(int rank) const { return rank / columns; }
    [[nodiscard]] int column_of(int rank) const { return rank % columns; }
};

/// "4x8". Throws ParseError.
[[nodiscard]] Grid parse_grid(std::string_view text);

using Mapping = std::vector<int>;  ///< by rank: its machine

/// A part of the grid whose ranks broadcast among themselves.
enum class GridLine { row, column };

/// How many rows, or columns, the grid has, and how many ranks one of them has.
[[nodiscard]] int lines_of(const Grid& grid, GridLine line);
[[nodiscard]] int length_of(const Grid& grid, GridLine line);

/// The machines of a row or column, by position in it; a machine with several of its ranks stands there several times.
[[nodiscard]] std::vector<int> machines_of_line(const Grid& grid, const Mapping& mapping, GridLine line, int number);

/// Places for ranks: every machine of `machines` (empty: all) so many times.
struct Slots {
    std::vector<int> machines;  ///< distinct
    int ranks_per_machine = 1;

    [[nodiscard]] int count() const { return static_cast<int>(machines.size()) * ranks_per_machine; }
};

/// As batch systems number ranks: machines by name, n2 before n10, each filled before the next.
[[nodiscard]] Mapping mapping_by_name(const Network& network, const Grid& grid, const Slots& slots);

/// Machines depth first over the switches, each filled before the next.
[[nodiscard]] Mapping block_mapping(const Network& network, const Grid& grid, const Slots& slots);

/// Each rank on another switch than the rank before, round the switches depth first, as far as they have places left.
[[nodiscard]] Mapping cyclic_mapping(const Network& network, const Grid& grid, const Slots& slots);

}  // namespace bcastgen
