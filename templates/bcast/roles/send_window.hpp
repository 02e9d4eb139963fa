// How many segments may be on their way at once: to a rank, and from it (the send window). The engine asks here
// (pipeline/stream.hpp), and so does bcastgen where it predicts what a broadcast takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/trees/hop.hpp"
#include "bcast/trees/sends_under_way.hpp"

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
    std::int64_t to_one_child = 1;
    std::int64_t to_all = 2;
    bool in_steps = false;  ///< as in Together
};

/// A tree's part of a message as it goes down the tree.
struct StreamShape {
    std::int64_t pieces = 1;      ///< segments, or 1 where a child gets all of them before the next child any
    std::int64_t in_all = 1;      ///< with those of parts that may follow at once
    std::size_t piece_bytes = 0;  ///< of most of them
    std::size_t trees = 1;        ///< that the message is divided among
};

/// Whether a message that is to go in one piece, and had to be cut in two, goes to one child after the other.
inline bool goes_one_by_one(bool in_one_piece, std::int64_t segments) {
    return in_one_piece && segments == 2;
}

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

/// The usual window: that, or what keeps a port busy until it is known that a segment has come, if that is more; or for
/// a message that is sent whole what its tree was planned for, if it was for a certain number.
inline SendWindow usual_window(const StreamShape& shape, const Hop& hop, const Together& planned) {
    if (shape.pieces == 1 && planned.sends > 0) return {1, planned.sends, planned.in_steps};
    // Parts that follow each other overlap: twice a pair's usual number would be on their way.
    const SendWindow usual = usual_send_window(shape.in_all, shape.pieces < shape.in_all ? 1 : shape.trees);
    const std::int64_t keeps_busy =
        shape.trees > 1 ? hop.covering(shape.piece_bytes) : hop.covering_alone(shape.piece_bytes);
    const std::int64_t covering = std::min<std::int64_t>(keeps_busy, widest_send_window);
    const std::int64_t to_one_child = std::min(std::max(usual.to_one_child, covering), shape.pieces);
    return {std::max<std::int64_t>(1, to_one_child), std::max(usual.to_all, covering)};
}

/// How many leading segments go to each child whatever else is on its way: until they are received, the child may not
/// have entered the broadcast, and must not keep the others waiting. A short first one that the MPI keeps for the child
/// says nothing of it; then that holds for the second, too.
inline std::int64_t uncounted_of(std::int64_t pieces, bool first_is_short) {
    if (pieces <= 1) return 0;
    return first_is_short && pieces > 2 ? 2 : 1;
}

/// Further ones wait until the child is known to be there; but where a port sends in turn and no second tree needs it,
/// they follow at once, as little counted.
inline bool follow_at_once(std::size_t trees, const Hop& hop) {
    return trees == 1 && !hop.shares_port();
}

/// Whether children that pass nothing on come after the others (waiting_children): where a port sends in turn, what is
/// handed over sooner is there sooner. A pair of trees needs the port for both.
inline bool some_wait(std::int64_t pieces, std::size_t trees, const Hop& hop) {
    return pieces > 1 && follow_at_once(trees, hop);
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

/// For each child so many may be on their way to all of a machine's children, if the port of one of them is slower than
/// the machine's: while a card sends to that one it has time for the others, so each may have as many as it may alone.
/// 0: no more than usually.
inline std::int64_t to_each_past_slow(std::size_t trees, const Hop& hop, std::int64_t to_one_child) {
    return follow_at_once(trees, hop) ? to_one_child : 0;
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
