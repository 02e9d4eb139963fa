// How a tree's part of a message is cut into segments, and how many of them the engine lets be on their way
// (templates/bcast/pipeline).
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/roles/segment_lengths.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/sends_under_way.hpp"

namespace bcastgen {

/// The first of several segments of a stream is no longer (templates/bcast/pipeline/lane.hpp, under MPICH).
inline constexpr std::size_t most_first_bytes = 8192;
/// And one that is alone, in the only tree of a message (the same).
inline constexpr std::size_t most_alone_bytes = std::size_t{256} << 10;
/// That a tag has for lengths, at most (the same).
inline constexpr int most_length_bits = 25;

/// As Segmentation in templates/bcast/pipeline/segmentation.hpp does it on a lane, for the part of one of `trees`
/// trees. `wanted_bytes` 0: in one piece. `least_bytes`: as least_known says.
[[nodiscard]] bcast::SegmentLengths segments_of(std::size_t part_bytes, std::size_t wanted_bytes, std::size_t trees,
                                                std::size_t least_bytes = 0);

/// A message's length, and above how many bytes all messages are that its rule is for: bcast::Choice::above_bytes.
struct RuledMessage {
    std::size_t bytes = 0;
    std::size_t above_bytes = 0;
};

/// So many bytes receivers of one of `trees` trees take every rank's message to have, under the rule; 0: they do not
/// ask.
[[nodiscard]] std::size_t least_known(const RuledMessage& message, std::size_t trees, const bcast::Hop& hop);

/// What bounds the sends of a machine in one tree.
struct Window {
    bool one_by_one = false;        ///< all of the part to one child, then to the next
    std::int64_t uncounted = 0;     ///< leading segments that go to a child whatever else is on its way
    bool more_follow = false;       ///< before the child is known to have these, as little counted
    bool some_wait = false;         ///< children that pass nothing on: until no other's segments may go
    std::int64_t to_one_child = 1;  ///< the most segments on their way
    std::int64_t more_to_far = 0;   ///< and so many more to a child that is far
    std::int64_t more_to_only = 0;  ///< or so many, if that is more, if it is the only child
    std::int64_t to_all = 1;        ///< the most on their way to all children
    std::int64_t past_slow = 0;     ///< or so many for each child, if that is more, if the port of one is slower
    bool in_steps = false;          ///< further ones once all of these have ended
    std::int64_t sure = 1;          ///< as sure_segments says
    bool all_sure = true;           ///< and from the first segment on, that all will
};

/// How many leading segments of one of `trees` trees receivers know will come, whatever the length is, under the rule
/// (SegmentLengths::alike).
[[nodiscard]] std::int64_t sure_segments(const bcast::SegmentLengths& segments, const RuledMessage& message,
                                         std::size_t trees, const bcast::Hop& hop);

/// The usual one, as Stream in templates/bcast/pipeline/stream.hpp chooses it for one of `trees` trees of `message`.
/// `whole`: what the tree was planned for where messages are sent whole.
[[nodiscard]] Window window_of(const bcast::SegmentLengths& segments, bool in_one_piece, const RuledMessage& message,
                               std::size_t trees, const bcast::Hop& hop, bcast::Together whole = {});

}  // namespace bcastgen
