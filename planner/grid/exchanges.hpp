// Ranks that change places, to make a mapping better.
#pragma once

#include <cstdint>

#include "planner/grid/crossings.hpp"
#include "planner/grid/grid.hpp"

namespace bcastgen {

/// The mapping, or a better one that exchanges of two ranks' places, and moves to free places, lead to. Ends early at
/// cost `enough`.
[[nodiscard]] Mapping improve_by_exchanges(const Cuts& cuts, const Grid& grid, const Slots& slots, Mapping mapping,
                                           double enough, std::uint64_t seed);

}  // namespace bcastgen
