// How many segments may be on their way at once: to a rank, and from it (the send window).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/trees/hop.hpp"

namespace bcast {

/// At least this many receives are posted ahead of the segments that have arrived.
inline constexpr std::int64_t receives_ahead = 4;

/// And so many, at most, of a stream of which the last segment that has come says no more than that so many follow, or
/// more (SegmentTags in lane.hpp).
inline constexpr std::int64_t most_unsure_receives = 6;

/// As many as the sender has on their way to one child, if that is more: an MPI that asks the receiver first leaves the
/// wire idle for whatever has no receive yet. `all_sure`: it is known that all segments of the stream come.
inline std::int64_t usual_receives_ahead(std::int64_t to_one_child, bool all_sure) {
    if (to_one_child <= receives_ahead) return receives_ahead;
    return all_sure ? to_one_child : std::min(to_one_child, most_unsure_receives);
}

/// A send window: the most segments on their way from a rank in one tree.
struct SendWindow {
    int to_one_child = 1;
    int to_all = 2;
};

/// A stream is long from this many segments up.
inline constexpr std::int64_t long_stream = 64;

/// What has been measured to do well, mostly in simulation (docs/performance.md), for a tree whose part of the message
/// is cut into this many segments. A message in one piece goes to one child after the other, so that the first, which
/// has most machines behind it, need not share the wire. A short stream ends soonest if a segment shares the wire with
/// few others on its way down the tree. A long one gains more if the wire is kept busy while one segment's sender waits
/// for its receiver, and if a child may fall behind another for a while. In a pair of trees each has half of the wire.
inline SendWindow usual_send_window(std::int64_t segments, std::size_t trees) {
    if (segments == 1) return {1, 1};
    if (segments < long_stream) return {1, 2};
    return trees > 1 ? SendWindow{4, 4} : SendWindow{2, 2};
}

/// Whether the window to a child that is far is larger by one. With one segment on its way the trunk idles for a
/// latency after each, so the stream loses as many latencies as it has segments. Two that share the wire delay each
/// other, which costs the stream only once for every step down the tree. That pays off for streams that are some times
/// as long as trees are high; long ones have a large enough window anyway.
inline bool covers_far(std::int64_t segments) {
    constexpr std::int64_t some_heights = 16;
    return segments >= some_heights && segments < long_stream;
}
inline std::int64_t more_to_any_far(std::int64_t segments) {
    return covers_far(segments) ? 1 : 0;
}

/// By how much it is larger in the message's only tree to a child that is far and the only one: nothing else keeps the
/// port busy until the sender hears of what went over the trunks.
inline std::int64_t more_to_only_far(const Hop& hop, std::size_t segment_bytes, std::int64_t to_one_child) {
    const std::int64_t covering = std::min<std::int64_t>(hop.covering_trunks(segment_bytes), widest_send_window);
    return hop.shares_port() ? 0 : std::max<std::int64_t>(0, covering - to_one_child);
}

/// The usual send window of a ring, in pieces. Whole blocks would only delay each other. Two pieces keep the port busy;
/// the more of them there are in a block, the more a larger window makes up for neighbours that are not in step.
inline std::int64_t usual_ring_window(std::size_t block_bytes, std::size_t piece_bytes) {
    if (piece_bytes == block_bytes) return 1;
    const std::size_t pieces = block_bytes / piece_bytes;
    return pieces < 3 ? 2 : pieces < 8 ? 3 : 4;
}

/// The same in the scatter, where all pieces on their way are for one child.
inline constexpr std::int64_t usual_scatter_window = 3;

}  // namespace bcast
