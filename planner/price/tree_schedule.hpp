// When the segments of a broadcast arrive, by the rules that the engine follows (templates/bcast/pipeline/stream.hpp).
//
//   machine   [ receive ][ send to child 0 ][ send to child 1 ] ...      its processor does one thing at a time
//   port out        |== segment ==|== segment ==|                        and so does each link,
//   link               \== segment ==|== segment ==|                     a latency later
//
// A machine's processor goes round the engine's loop: it is told of a request that has ended, takes what came, posts
// the next receive and hands on what may go, and is told of the next one. So what ends while it is busy waits, and
// events are gone through in the sequence of their times. A segment is on its way once both sides are ready for it: the
// maximum of two times, and on a link again that of when it is there and when the link is free. What a processor does
// until it is told of the next request depends on nothing that happens meanwhile, so all of that is one event.
#pragma once

#include <cstdint>
#include <vector>

#include "bcast/trees/tree.hpp"
#include "planner/price/segments.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// One of the trees that go together, and what goes down it.
struct TreeStream {
    const bcast::Tree* tree = nullptr;
    bcast::SegmentLengths segments;
    Window window;
};

/// When things are over, seconds after the root's entry.
struct TreeSchedule {
    double end_s = 0;    ///< the last machine has all
    double first_s = 0;  ///< every machine has the first segment of each tree
};

/// How messages that meet on a link go on.
enum class Sharing : std::uint8_t {
    in_order,  ///< one after the other, whole: quick to work out
    fair       ///< side by side, as in the simulator (shared_links.hpp), and from a port as `wires` says
};

/// The schedule of the trees' segments, of each tree the first `simulated` alone (0: all of them), the last of which
/// is then as long as the last of all. The trees are over the positions of the order that `wires` was made with.
/// O(s x P x (log P + path)) for s segments.
[[nodiscard]] TreeSchedule schedule_trees(const Wires& wires, const std::vector<TreeStream>& streams, Sharing sharing,
                                          std::int64_t simulated = 0);

}  // namespace bcastgen
