#include "planner/price/segments.hpp"

#include <algorithm>

#include "bcast/facts/settings.hpp"
#include "bcast/roles/send_window.hpp"

namespace bcastgen {

bcast::SegmentLengths segments_of(std::size_t part_bytes, std::size_t wanted_bytes, std::size_t trees,
                                  std::size_t least_bytes) {
    // As far as tags tell lengths apart (SegmentTags in lane.hpp), where an MPI has many.
    constexpr std::size_t longest_told = std::size_t{1} << (most_length_bits - 2);
    std::size_t longest = std::min(bcast::longest_segment_bytes, longest_told);
    if (wanted_bytes > 0) longest = std::min(longest, wanted_bytes);
    const bool alone = part_bytes <= std::min(longest, trees == 1 ? most_alone_bytes : most_first_bytes);
    const bool all_fill_one = trees == 1 && least_bytes >= longest;
    return bcast::cut_into_segments(part_bytes, alone || all_fill_one ? longest : most_first_bytes, longest);
}

std::size_t least_known(const RuledMessage& message, std::size_t trees, const bcast::Hop& hop) {
    return bcast::follow_at_once(trees, hop) ? std::min(message.bytes, message.above_bytes + 1) : 0;
}

std::int64_t sure_segments(const bcast::SegmentLengths& segments, const RuledMessage& message, std::size_t trees,
                           const bcast::Hop& hop) {
    const std::size_t most_alone = std::min(segments.usual_bytes, most_alone_bytes);
    return segments.alike(least_known(message, trees, hop), most_alone);
}

Window window_of(const bcast::SegmentLengths& segments, bool in_one_piece, const RuledMessage& message,
                 std::size_t trees, const bcast::Hop& hop, bcast::Together whole) {
    Window window;
    window.one_by_one = bcast::goes_one_by_one(in_one_piece, segments.count);
    const std::int64_t pieces = window.one_by_one ? 1 : segments.count;
    const std::size_t piece_bytes = std::min(segments.usual_bytes, bcast::longest_segment_bytes);
    const bcast::SendWindow usual =
        bcast::usual_window({pieces, pieces, piece_bytes, trees}, hop, in_one_piece ? whole : bcast::Together());
    window.to_one_child = usual.to_one_child;
    window.to_all = usual.to_all;
    window.in_steps = usual.in_steps;
    window.more_to_far = bcast::more_to_any_far(pieces);
    window.more_to_only =
        trees == 1 && pieces > 1 ? bcast::more_to_only_far(hop, segments.usual_bytes, window.to_one_child) : 0;
    window.past_slow = pieces > 1 ? bcast::to_each_past_slow(trees, hop, window.to_one_child) : 0;
    window.uncounted = bcast::uncounted_of(pieces, segments.first_bytes < segments.usual_bytes);
    window.more_follow = bcast::follow_at_once(trees, hop);
    window.some_wait = bcast::some_wait(pieces, trees, hop);
    window.sure = sure_segments(segments, message, trees, hop);
    window.all_sure = message.bytes < std::size_t{1} << (most_length_bits - 1);  // SegmentTags::tells
    return window;
}

}  // namespace bcastgen
