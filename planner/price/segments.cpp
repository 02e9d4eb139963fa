#include "planner/price/segments.hpp"

#include <algorithm>

#include "bcast/facts/settings.hpp"
#include "bcast/roles/send_window.hpp"

namespace bcastgen {

bcast::SegmentLengths segments_of(std::size_t part_bytes, std::size_t wanted_bytes, std::size_t trees) {
    // As far as tags tell lengths apart (SegmentTags in lane.hpp), where an MPI has many.
    constexpr std::size_t longest_told = std::size_t{1} << (most_length_bits - 2);
    std::size_t longest = std::min(bcast::longest_segment_bytes, longest_told);
    if (wanted_bytes > 0) longest = std::min(longest, wanted_bytes);
    const bool alone = part_bytes <= std::min(longest, trees == 1 ? most_alone_bytes : most_first_bytes);
    return bcast::cut_into_segments(part_bytes, alone ? longest : most_first_bytes, longest);
}

Window window_of(const bcast::SegmentLengths& segments, bool in_one_piece, const RuledMessage& message,
                 std::size_t trees, const bcast::Hop& hop, bcast::Together whole) {
    Window window;
    window.one_by_one = in_one_piece && segments.count == 2;
    const std::int64_t pieces = window.one_by_one ? 1 : segments.count;
    const bcast::SendWindow usual = bcast::usual_send_window(pieces, trees);
    const std::size_t bytes = std::min(segments.usual_bytes, bcast::longest_segment_bytes);
    const std::int64_t covering = std::min<std::int64_t>(hop.covering(bytes), bcast::widest_send_window);
    const std::int64_t to_one = std::max<std::int64_t>(usual.to_one_child, covering);
    window.to_one_child = std::max<std::int64_t>(1, std::min(to_one, pieces));
    window.more_to_far = bcast::more_to_any_far(pieces);
    window.more_to_only =
        trees == 1 && pieces > 1 ? bcast::more_to_only_far(hop, segments.usual_bytes, window.to_one_child) : 0;
    window.to_all = std::max<std::int64_t>(usual.to_all, covering);
    if (in_one_piece && pieces == 1 && whole.sends > 0) {
        window.to_one_child = 1;
        window.to_all = whole.sends;
        window.in_steps = whole.in_steps;
    }
    const bool several = segments.count > 1 && !window.one_by_one;
    const bool first_is_short = segments.first_bytes < segments.usual_bytes;
    window.uncounted = !several ? 0 : first_is_short && segments.count > 2 ? 2 : 1;
    window.more_follow = trees == 1 && !hop.shares_port();
    const std::size_t most_alone = std::min(segments.usual_bytes, most_alone_bytes);
    window.sure = window.more_follow ? segments.alike(std::min(message.bytes, message.above_bytes + 1), most_alone) : 1;
    window.all_sure = message.bytes < std::size_t{1} << (most_length_bits - 1);  // SegmentTags::tells
    return window;
}

}  // namespace bcastgen
