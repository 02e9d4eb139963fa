// How many segments may be under way at once: to a rank, and from it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bcast {

/// So many receives are posted ahead of the segments that have arrived.
inline constexpr std::int64_t receives_ahead = 4;

/// Segments are at most this long: counts of bytes are ints.
inline constexpr std::size_t longest_segment_bytes = std::size_t{1} << 30;

/// The most segments under way from a rank in one tree.
struct InFlight {
    int to_one_child = 1;
    int to_all = 2;
};

/// From so many segments on.
inline constexpr std::int64_t long_stream = 64;

/// What has been measured to do well, mostly in simulation (docs/performance.md), for a tree whose part of the
/// message is cut into so many segments. What is sent in one piece is sent to one child after the other, so that the
/// first, which has most machines behind it, need not share the wire. A short stream ends soonest if a segment shares
/// the wire with few others on its way down the tree. A long one gains more if the wire is kept busy while one
/// segment's sender waits for its receiver, and if a child may fall behind another for a while; of a pair of trees each
/// has half of the wire.
inline InFlight usual_in_flight(std::int64_t segments, std::size_t trees) {
    if (segments == 1) return {1, 1};
    if (segments < long_stream) return {1, 2};
    return trees > 1 ? InFlight{4, 4} : InFlight{2, 2};
}

/// Whether a child that is far gets a segment more than the usual number. With one on its way the trunk idles for a
/// latency after each, so that the stream loses as often as it has segments; two that share the wire delay each other,
/// which it pays for once, with every step down the tree. It pays off for streams that are some times as long as trees
/// are high; long ones have enough under way.
inline bool covers_far(std::int64_t segments) {
    constexpr std::int64_t some_heights = 16;
    return segments >= some_heights && segments < long_stream;
}

}  // namespace bcast
