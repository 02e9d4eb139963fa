#include "planner/price/stream_places.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/tree.hpp"

namespace bcastgen {

namespace {

/// As bcast::is_far, which looks for the way anew.
bool is_far(const Wires& wires, std::span<const LinkId> path, double latency_s) {
    const double ports_s = wires.link(path.front()).latency_s + wires.link(path.back()).latency_s;
    return path.size() > 2 && 20 * (latency_s - ports_s) >= bcast::far_tenths * ports_s;
}

}  // namespace

StreamPlaces::StreamPlaces(const Wires& wires, const std::vector<TreeStream>& streams)
    : positions(streams.front().tree->children.size()) {
    nodes.resize(streams.size() * positions);
    for (std::uint32_t tree = 0; tree < streams.size(); ++tree) {
        const Window& window = streams[tree].window;
        // Segments more that a machine has on their way to a far child, or that a far parent may have to it.
        std::vector<std::int64_t> more_ahead(positions, 0);
        for (int position = 0; position < static_cast<int>(positions); ++position) {
            Node& sender = node(tree, position);
            sender.first_edge = static_cast<std::uint32_t>(edges.size());
            const std::vector<int>& children = streams[tree].tree->children[at(position)];
            std::vector<char> waits;
            if (window.some_wait) waits = bcast::waiting_children(*streams[tree].tree, position);
            sender.some_wait = !waits.empty();
            const std::int64_t more_to_far =
                children.size() == 1 ? std::max(window.more_to_far, window.more_to_only) : window.more_to_far;
            std::int64_t more = 0;
            std::int64_t to_all = window.to_all;
            for (const int child : children) {
                Edge edge;
                edge.sender = position;
                edge.receiver = child;
                edge.tree = static_cast<std::uint8_t>(tree);
                edge.child = sender.edges++;
                edge.waits = sender.some_wait && waits[edge.child] != 0;
                edge.first_link = static_cast<std::uint32_t>(paths.size());
                const std::vector<LinkId> path = wires.between(position, child);
                for (const LinkId link : path) edge.latency_s += wires.link(link).latency_s;
                if (is_far(wires, path, edge.latency_s)) {
                    more = more_to_far;
                    edge.more = static_cast<std::uint8_t>(more);
                    more_ahead[at(child)] = std::max(more_ahead[at(child)], window.more_to_only);
                }
                if (wires.link(path.back()).s_per_byte > wires.link(path.front()).s_per_byte) {
                    to_all = std::max(to_all, std::ssize(children) * window.past_slow);
                }
                paths.insert(paths.end(), path.begin(), path.end());
                edge.links = static_cast<std::uint32_t>(path.size());
                node(tree, child).parent = static_cast<std::uint32_t>(edges.size());
                edges.push_back(edge);
            }
            const bcast::Together together{static_cast<int>(to_all + more), window.in_steps};
            sender.under_way = bcast::SendsUnderWay(together, sender.edges);
            sender.slots = static_cast<std::int32_t>(window.to_one_child + more + (window.one_by_one ? 1 : 0));
            more_ahead[at(position)] = std::max(more_ahead[at(position)], more);
            if (window.uncounted > 0) sender.waiting_first = static_cast<std::int32_t>(sender.edges);
        }
        for (int position = 0; position < static_cast<int>(positions); ++position) {
            Node& receiver = node(tree, position);  // the root's own are never posted
            const std::int64_t receives =
                bcast::usual_receives_ahead(window.to_one_child + more_ahead[at(position)], window.all_sure);
            receiver.receives = static_cast<std::int32_t>(std::min(receives, streams[tree].segments.count));
            receiver.sure = static_cast<std::int32_t>(std::min<std::int64_t>(window.sure, receiver.receives));
            widest_window = std::max({widest_window, at(receiver.receives), at(receiver.slots)});
        }
    }
    for (int position = 0; position < static_cast<int>(positions); ++position) lay_out_requests(position);
}

void StreamPlaces::lay_out_requests(int position) {
    std::uint32_t next = 0;
    const auto trees = static_cast<std::uint32_t>(nodes.size() / positions);
    for (std::uint32_t tree = 0; tree < trees; ++tree) {
        Node& sender = node(tree, position);
        sender.first_send = next;
        next += sender.edges * static_cast<std::uint32_t>(sender.slots);
    }
    for (std::uint32_t tree = 0; tree < trees; ++tree) {
        Node& receiver = node(tree, position);
        receiver.first_receive = next;
        next += static_cast<std::uint32_t>(receiver.receives);
    }
}

}  // namespace bcastgen
