// When a broadcast in rounds is over, by the rules that its engine follows
// (templates/bcast/pipeline/rounds_engine.hpp).
#pragma once

#include <cstdint>

#include "bcast/roles/block_rounds.hpp"
#include "planner/price/segments.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// A broadcast in rounds of a message that is cut so.
struct RoundsCase {
    bcast::BlockCut cut;
    std::size_t longest_bytes = 0;  ///< that a block may have
    int phase = 0;                  ///< rounds of one
    bool heralded = false;          ///< each machine's first message to another has no content
    std::int64_t strands = 1;
    std::int64_t planned = 1;  ///< blocks that the rounds are for
    std::int64_t sure = 0;     ///< blocks that have their receives posted before the length is known
    std::int64_t window = 1;   ///< the most blocks on their way from a machine
    bool by_round = false;     ///< receives are posted, one at a time
};

/// When things are over, seconds after the root's entry.
struct RoundsSchedule {
    double end_s = 0;    ///< the last machine has all
    double first_s = 0;  ///< every machine has a block
};

/// As the engine cuts and deals out a message among so many machines. segment_bytes 0: in one block.
[[nodiscard]] RoundsCase rounds_case(int machines, const RuledMessage& message, std::size_t segment_bytes,
                                     const bcast::Hop& hop);

/// The schedule of all blocks, between the positions of the order that `wires` was made with; what meets on links
/// shares them (shared_links.hpp). O(blocks x P x (log P + path)).
[[nodiscard]] RoundsSchedule schedule_rounds(const Wires& wires, const RoundsCase& one);

}  // namespace bcastgen
