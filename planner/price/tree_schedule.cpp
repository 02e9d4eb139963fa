#include "planner/price/tree_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include "base/index.hpp"
#include "bcast/trees/hop.hpp"

namespace bcastgen {

namespace {

/// One transmission of a tree: all segments from a machine to one of its children.
struct Edge {
    int sender = 0;
    int receiver = 0;
    std::uint32_t first_trunk = 0;  // in TreeRun::trunks_
    std::uint32_t trunks = 0;
    bool far = false;
    std::int32_t started = 0;   // segments handed over by the sender
    std::int32_t on_wire = 0;   // of those, the receiver was ready for
    std::int32_t in_port = 0;   // of those, have come to the receiver's port
    std::int32_t arrived = 0;   // of those, are there; the sender knows
    double latency_s = 0;       // of all links
    double started_s = 0;       // when the last was
};

/// A machine in one tree.
struct Node {
    std::uint32_t first_edge = 0;  // to its children
    std::uint32_t edges = 0;
    std::uint32_t next = 0;  // child whose turn it is
    std::int32_t under_way = 0;
    std::int32_t most_under_way = 0;
    std::int32_t waiting_first = 0;  // children that have not been sent all segments that do not count
    std::int32_t arrived = 0;
};

enum class Kind : std::uint8_t { at_port, arrived };

struct Event {
    double time_s = 0;
    double tail_s = 0;  // when the last byte can be there at the earliest
    std::uint64_t number = 0;  // of equal times the first noted goes first
    std::uint32_t tree = 0;
    std::uint32_t edge = 0;
    Kind kind = Kind::arrived;
};

struct Later {
    bool operator()(const Event& a, const Event& b) const {
        return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
    }
};

class TreeRun {
  public:
    TreeRun(const Wires& wires, const bcast::Layout& layout, const std::vector<TreeStream>& streams,
            std::int64_t simulated)
        : wires_(wires), streams_(streams), free_s_(wires.links(), 0.0) {
        const std::size_t positions = streams.front().tree->children.size();
        processor_free_s_.assign(positions, 0.0);
        std::int64_t most = 0;
        for (const TreeStream& stream : streams) {
            const std::int64_t all = stream.segments.count;
            counts_.push_back(simulated == 0 ? all : std::min(all, simulated));
            most = std::max(most, counts_.back());
            lay_out(layout, stream);
        }
        schedule_.segments_s.assign(static_cast<std::size_t>(most), 0.0);
    }

    TreeSchedule run() {
        for (std::uint32_t tree = 0; tree < streams_.size(); ++tree) send_ready(tree, 0, 0.0);
        while (!events_.empty()) {
            const Event event = events_.top();
            events_.pop();
            if (event.kind == Kind::at_port) {
                enter_port(event);
            } else {
                arrive(event);
            }
        }
        return std::move(schedule_);
    }

  private:
    void lay_out(const bcast::Layout& layout, const TreeStream& stream) {
        std::vector<Node> nodes(stream.tree->children.size());
        std::vector<Edge> edges;
        edges.reserve(nodes.size());
        for (std::size_t position = 0; position < nodes.size(); ++position) {
            Node& node = nodes[position];
            node.first_edge = static_cast<std::uint32_t>(edges.size());
            bool any_far = false;
            for (const int child : stream.tree->children[position]) {
                edges.push_back(edge_between(layout, static_cast<int>(position), child));
                any_far = any_far || edges.back().far;
            }
            node.edges = static_cast<std::uint32_t>(edges.size()) - node.first_edge;
            const std::int64_t more = any_far ? stream.window.more_to_far : 0;
            node.most_under_way = static_cast<std::int32_t>(stream.window.to_all + more);
            if (stream.window.uncounted > 0) node.waiting_first = static_cast<std::int32_t>(node.edges);
        }
        nodes_.push_back(std::move(nodes));
        edges_.push_back(std::move(edges));
    }

    Edge edge_between(const bcast::Layout& layout, int sender, int receiver) {
        Edge edge;
        edge.sender = sender;
        edge.receiver = receiver;
        edge.far = bcast::is_far(layout, wires_.machine(sender), wires_.machine(receiver));
        edge.first_trunk = static_cast<std::uint32_t>(trunks_.size());
        const std::vector<LinkId> path = wires_.between(sender, receiver);
        for (const LinkId link : path) edge.latency_s += wires_.link(link).latency_s;
        trunks_.insert(trunks_.end(), path.begin() + 1, path.end() - 1);
        edge.trunks = static_cast<std::uint32_t>(trunks_.size()) - edge.first_trunk;
        return edge;
    }

    [[nodiscard]] double bytes_of(std::uint32_t tree, std::int64_t segment) const {
        const Segments& segments = streams_[tree].segments;
        // Of those left out, the last stands for the last of all.
        const bool last = segment + 1 == counts_[tree];
        const std::size_t bytes = segments.length(last ? segments.count - 1 : segment);
        return static_cast<double>(bytes) + wires_.envelope_bytes();
    }

    void note(double time_s, double tail_s, std::uint32_t tree, std::uint32_t edge, Kind kind) {
        events_.push({time_s, tail_s, number_++, tree, edge, kind});
    }

    /// What the machine's processor takes for a message of so many bytes, from `time_s` on at the earliest. Returns
    /// when it is done.
    double work(int position, double time_s, double each_s, double bytes) {
        double& free_s = processor_free_s_[at(position)];
        free_s = std::max(free_s, time_s) + each_s + bytes * wires_.software(position).per_byte_s;
        return free_s;
    }

    /// Hands segments to the children in turn, as Stream::send_ready.
    void send_ready(std::uint32_t tree, int position, double time_s) {
        Node& node = nodes_[tree][at(position)];
        const Window& window = streams_[tree].window;
        std::uint32_t passed_over = 0;
        while (passed_over < node.edges) {
            if (node.waiting_first == 0 && node.under_way >= node.most_under_way) {  // nothing may begin
                while (window.one_by_one && send_next(tree, node, node.first_edge + node.next, time_s)) {
                }
                return;
            }
            const std::uint32_t edge = node.first_edge + node.next;
            const bool started = send_next(tree, node, edge, time_s);
            if (started && window.one_by_one && edges_[tree][edge].started < counts_[tree]) continue;
            node.next = node.next + 1 == node.edges ? 0 : node.next + 1;
            passed_over = started ? 0 : passed_over + 1;
        }
    }

    bool send_next(std::uint32_t tree, Node& node, std::uint32_t number, double time_s) {
        Edge& edge = edges_[tree][number];
        const Window& window = streams_[tree].window;
        const std::int64_t segment = edge.started;
        const std::int64_t more = (edge.far ? window.more_to_far : 0) + (window.one_by_one ? 1 : 0);
        if (segment == counts_[tree] || segment >= edge.arrived + window.to_one_child + more) return false;
        if (segment >= window.uncounted && edge.arrived < window.uncounted) return false;
        const bool begins = window.one_by_one ? segment == 0 : segment >= window.uncounted;
        if (begins && node.under_way >= node.most_under_way) return false;
        if (edge.sender != 0 && segment >= node.arrived) return false;
        if (begins) ++node.under_way;
        ++edge.started;
        if (edge.started == window.uncounted || (edge.started == counts_[tree] && edge.started < window.uncounted)) {
            --node.waiting_first;
        }
        edge.started_s =
            work(edge.sender, time_s, wires_.software(edge.sender).send_s, bytes_of(tree, segment));
        start_matched(tree, number, edge.started_s);
        return true;
    }

    /// Puts the segments on the wire that were handed over and have a receive waiting for them.
    void start_matched(std::uint32_t tree, std::uint32_t number, double time_s) {
        Edge& edge = edges_[tree][number];
        // The first segment says how many will follow.
        const std::int64_t receives = edge.arrived == 0 ? 1 : edge.arrived + streams_[tree].window.receives_ahead;
        while (edge.on_wire < std::min<std::int64_t>(edge.started, receives)) {
            put_on_wire(tree, number, std::max(time_s, edge.started_s));
            ++edge.on_wire;
        }
    }

    void put_on_wire(std::uint32_t tree, std::uint32_t number, double time_s) {
        const Edge& edge = edges_[tree][number];
        const double bytes = bytes_of(tree, edge.on_wire);
        const LinkId out = port_out(wires_.machine(edge.sender));
        double start_s = occupy(out, time_s, bytes);
        double rest_s = edge.latency_s - wires_.link(out).latency_s;  // of the latencies ahead
        double tail_s = start_s + bytes * wires_.link(out).s_per_byte + edge.latency_s;
        double head_s = start_s + wires_.link(out).latency_s;
        for (std::uint32_t i = 0; i < edge.trunks; ++i) {
            const LinkId trunk = trunks_[edge.first_trunk + i];
            start_s = occupy(trunk, head_s, bytes);
            tail_s = std::max(tail_s, start_s + bytes * wires_.link(trunk).s_per_byte + rest_s);
            head_s = start_s + wires_.link(trunk).latency_s;
            rest_s -= wires_.link(trunk).latency_s;
        }
        const Event event{head_s, tail_s, 0, tree, number, Kind::at_port};
        if (streams_.size() == 1) {
            enter_port(event);  // nobody else sends there
        } else {
            note(head_s, tail_s, tree, number, Kind::at_port);
        }
    }

    double occupy(LinkId link, double time_s, double bytes) {
        double& free_s = free_s_[at(link)];
        const double start_s = std::max(time_s, free_s);
        free_s = start_s + bytes * wires_.link(link).busy_per_byte;
        return start_s;
    }

    void enter_port(const Event& event) {
        Edge& edge = edges_[event.tree][event.edge];
        const LinkId in = port_in(wires_.machine(edge.receiver));
        const double bytes = bytes_of(event.tree, edge.in_port++);
        const double start_s = occupy(in, event.time_s, bytes);
        const double end_s = start_s + bytes * wires_.link(in).s_per_byte + wires_.link(in).latency_s;
        note(std::max(end_s, event.tail_s), 0, event.tree, event.edge, Kind::arrived);
    }

    void arrive(const Event& event) {
        Edge& edge = edges_[event.tree][event.edge];
        const Window& window = streams_[event.tree].window;
        const std::int64_t segment = edge.arrived++;
        Node& sender = nodes_[event.tree][at(edge.sender)];
        if (window.one_by_one ? edge.arrived == counts_[event.tree] : edge.arrived > window.uncounted) {
            --sender.under_way;
        }
        const double there_s = work(edge.receiver, event.time_s, wires_.software(edge.receiver).receive_s,
                                    bytes_of(event.tree, segment));
        double& everywhere_s = schedule_.segments_s[static_cast<std::size_t>(segment)];
        everywhere_s = std::max(everywhere_s, there_s);
        schedule_.end_s = std::max(schedule_.end_s, there_s);
        ++nodes_[event.tree][at(edge.receiver)].arrived;
        start_matched(event.tree, event.edge, there_s);
        send_ready(event.tree, edge.receiver, there_s);
        send_ready(event.tree, edge.sender, event.time_s);
    }

    const Wires& wires_;
    const std::vector<TreeStream>& streams_;
    std::vector<std::int64_t> counts_;       // by tree: segments gone through
    std::vector<std::vector<Node>> nodes_;   // by tree, by position
    std::vector<std::vector<Edge>> edges_;   // by tree; those of one sender side by side, in sending order
    std::vector<LinkId> trunks_;             // of all edges' ways
    std::vector<double> free_s_;             // by link
    std::vector<double> processor_free_s_;   // by position
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::uint64_t number_ = 0;
    TreeSchedule schedule_;
};

}  // namespace

TreeSchedule schedule_trees(const Wires& wires, const bcast::Layout& layout, const std::vector<TreeStream>& streams,
                            std::int64_t simulated) {
    return TreeRun(wires, layout, streams, simulated).run();
}

}  // namespace bcastgen
