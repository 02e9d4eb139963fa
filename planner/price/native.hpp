// What the MPI's own broadcast takes.
#pragma once

#include <cstddef>

#include "planner/price/tree_schedule.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// Seconds that a broadcast takes by MPICH's documented rule with its defaults: a binomial tree for short messages and
/// few ranks; else a scatter, and an allgather by recursive doubling or in a ring. `wires` are those of the ranks, the
/// root first; transmissions that meet on links share them. 0 for one rank. Of a long ring some rounds are gone through
/// and the rest, which are like them, added.
[[nodiscard]] double native_broadcast_s(const Wires& wires, Sharing sharing, std::size_t bytes);

}  // namespace bcastgen
