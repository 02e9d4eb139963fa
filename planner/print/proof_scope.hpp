// Of what a proof is one.
#pragma once

#include <cstddef>
#include <string>

#include "planner/network/network.hpp"

namespace bcastgen {

/// How many trunks messages may take that keep to the plan's paths: those of the spanning tree, or in a folded Clos
/// all.
[[nodiscard]] std::size_t trunks_in_use(const Network& network);

/// ", on the 191 of 2962 trunks that the spanning tree uses", ", by any shortest up/down routes", or nothing where
/// every trunk is on the only way.
[[nodiscard]] std::string proof_scope(const Network& network);

/// How to have the proof of other routes, where a network may have any; else empty.
[[nodiscard]] std::string routes_advice(const Network& network);

}  // namespace bcastgen
