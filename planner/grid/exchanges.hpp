// Ranks that change places, to make a mapping better.
#pragma once

#include "planner/grid/crossings.hpp"

namespace bcastgen {

/// The mapping, or a better one that exchanges of two ranks' places, and moves to free places, lead to. Ends early at
/// cost `enough`. At first exchanges for the worse are taken, too, those that cost less than about `temperature` of the
/// whole more; towards the end hardly any.
[[nodiscard]] Mapping improve_by_exchanges(const Cuts& cuts, const PlacementRequest& request, Mapping mapping,
                                           double enough, double temperature);

}  // namespace bcastgen
