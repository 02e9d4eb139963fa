// For which messages it pays to send more than one stream over a wide trunk.
//
//   wide:    n0 --> n1 --> n10                    lower, but more sends cross trunks, which senders hear of later:
//            n0 --> n20                           with a small send window such a sender falls behind
//   narrow:  n0 --> n10 --> n20 --> n21           each subtree entered by one stream
//
// Low trees gain where the first segment's way counts, in short streams. Both times are estimated in the same way; from
// them follows the size from which the narrow trees are quicker.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/trees/distances.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// Whether some trunk carries the streams of two of these machines side by side.
inline bool has_wide_trunks(const Layout& layout, const std::vector<int>& machines) {
    const std::int64_t wide_Bps = 2 * fastest_port_Bps(layout, machines);
    return std::any_of(layout.trunks.begin(), layout.trunks.end(), [&](const std::vector<LinkSpeed>& trunks) {
        return std::any_of(trunks.begin(), trunks.end(),
                           [&](const LinkSpeed& trunk) { return trunk.bandwidth_Bps >= wide_Bps; });
    });
}

/// The same layout with every trunk so narrow that trees over these machines are planned with one stream over it.
inline Layout without_wide_trunks(Layout layout, const std::vector<int>& machines) {
    const std::int64_t fastest_Bps = fastest_port_Bps(layout, machines);
    for (std::vector<LinkSpeed>& trunks : layout.trunks) {
        for (LinkSpeed& trunk : trunks) trunk.bandwidth_Bps = std::min(trunk.bandwidth_Bps, fastest_Bps);
    }
    return layout;
}

/// What a stream of segments takes over a tree: the first one's way, and how much later each further one comes.
struct StreamTime {
    std::int64_t first_ns = 0;
    std::int64_t further_ns = 0;
};

/// Of a tree over `order`, which depth_first_order made from `layout`, with this send window. A machine gives each
/// child in turn a segment, one every gap, or when it hears that an earlier one has arrived. O(P x depth of the switch
/// tree).
inline StreamTime stream_time(const Layout& layout, const Order& order, const Tree& tree, std::size_t segment_bytes,
                              std::int64_t most_under_way) {
    const Distances distances(layout, order);
    const Hop hop = hop_of(layout, order.machines);
    const std::int64_t gap_ns = hop.gap_ns(segment_bytes);
    std::vector<std::int64_t> arrival_ns(tree.children.size(), 0);
    std::vector<int> to_visit{0};
    StreamTime time;
    while (!to_visit.empty()) {
        const int sender = to_visit.back();
        to_visit.pop_back();
        std::int64_t sent_ns = 0;
        std::int64_t heard_ns = 0;  // of all children's sends, one after the other
        for (const int child : tree.children[static_cast<std::size_t>(sender)]) {
            const std::int64_t latency_ns = distances.between_ns(sender, child);
            sent_ns += gap_ns;
            heard_ns += gap_ns + latency_ns * hop.answer_ns / std::max<std::int64_t>(hop.latency_ns, 1);
            const std::int64_t there_ns = arrival_ns[static_cast<std::size_t>(sender)] + sent_ns + latency_ns;
            arrival_ns[static_cast<std::size_t>(child)] = there_ns;
            time.first_ns = std::max(time.first_ns, there_ns);
            to_visit.push_back(child);
        }
        time.further_ns = std::max({time.further_ns, sent_ns, heard_ns / most_under_way});
    }
    return time;
}

/// Messages of up to this many bytes, each of `trees` trees carrying its part in such segments, are quicker by the
/// trees of the first time; no_more: all are.
inline std::size_t quicker_up_to(const StreamTime& wide, const StreamTime& narrow, std::size_t segment_bytes,
                                 std::size_t trees, std::size_t no_more) {
    if (wide.first_ns >= narrow.first_ns) return 0;
    if (wide.further_ns <= narrow.further_ns) return no_more;
    const std::int64_t further_segments = (narrow.first_ns - wide.first_ns) / (wide.further_ns - narrow.further_ns);
    return static_cast<std::size_t>(1 + further_segments) * segment_bytes * trees;
}

}  // namespace bcast
