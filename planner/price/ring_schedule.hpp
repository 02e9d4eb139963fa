// When a scatter-ring broadcast ends, by the rules that its engine follows (templates/bcast/pipeline/ring_engine.hpp).
//
//   machine   [ its blocks from the scatter ] [ those of its scatter children ] [ round the ring, in pieces ] ...
//
// As in tree_schedule.hpp each machine's processor is told of one ended request after the other and hands on what may
// go then; messages share links as in shared_links.hpp.
#pragma once

#include <cstddef>

#include "bcast/trees/tree.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// How blocks are scattered and go round.
struct RingBroadcast {
    const bcast::Tree* scatter = nullptr;  ///< whose subtrees are intervals (templates/bcast/trees/scatter_tree.hpp)
    bool tuned = false;                    ///< no block goes to a machine that holds it
    std::size_t bytes = 0;
    std::size_t segment_bytes = 0;  ///< the most of a piece; 0: blocks in one piece
};

/// When the last machine has all, seconds after the root's entry. Machines are the positions of the order that `wires`
/// was made with, at least two. `rounds`: so many blocks of each walk round the ring are gone through, all if 0.
[[nodiscard]] double schedule_ring(const Wires& wires, const RingBroadcast& broadcast, int rounds = 0);

/// How many pieces ring_broadcast_s() goes through, each in constant time, but for a logarithm.
[[nodiscard]] double ring_pieces(int machines, std::size_t bytes, std::size_t segment_bytes);

/// The same from some of the rounds where there are many, since all further ones take as long.
[[nodiscard]] double ring_broadcast_s(const Wires& wires, const RingBroadcast& broadcast);

}  // namespace bcastgen
