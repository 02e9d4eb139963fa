#include "planner/price/tree_schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <queue>
#include <utility>

#include "base/index.hpp"
#include "planner/price/shared_links.hpp"

namespace bcastgen {

namespace {

/// All segments from a machine to one of its children in a tree.
struct Edge {
    int sender = 0;
    int receiver = 0;
    std::uint32_t tree = 0;
    std::uint32_t first_link = 0;  // in TreeRun::paths_
    std::uint32_t links = 0;
    bool far = false;
    std::int32_t started = 0;  // segments handed over by the sender
    std::int32_t on_wire = 0;  // of those, the receiver was ready for
    std::int32_t arrived = 0;  // of those, are there; the sender knows
    std::uint64_t there = 0;   // bit i: segment arrived + i is there
    double latency_s = 0;      // of all links
};

/// A machine in one tree.
struct Node {
    std::uint32_t first_edge = 0;  // to its children
    std::uint32_t edges = 0;
    std::uint32_t next = 0;  // child whose turn it is
    std::int32_t arrived = 0;
    std::int32_t under_way = 0;
    std::int32_t most_under_way = 0;
    std::int32_t waiting_first = 0;  // children that have not been sent all segments that do not count
};

enum class Kind : std::uint8_t {
    begins,   // an edge's next segment comes to the links that it shares with others
    ends,     // an edge's segment has crossed them, unless that has changed
    at_port,  // the first byte of an edge's next segment is at the receiver's port
    arrives   // an edge's next segment is there
};

struct Event {
    double time_s = 0;
    double tail_s = 0;         // at_port: when the last byte can be there at the earliest
    std::uint32_t number = 0;  // of equal times the first noted goes first
    std::uint32_t of = 0;      // edge
    std::uint32_t detail = 0;  // the segment's number, or that of the change
    Kind kind = Kind::arrives;
};

struct Later {
    bool operator()(const Event& a, const Event& b) const {
        if (a.time_s != b.time_s) return a.time_s > b.time_s;
        return static_cast<std::int32_t>(a.number - b.number) > 0;
    }
};

class TreeRun {
  public:
    TreeRun(const Wires& wires, const std::vector<TreeStream>& streams, Sharing sharing, std::int64_t simulated)
        : wires_(wires),
          streams_(streams),
          positions_(streams.front().tree->children.size()),
          free_s_(wires.links(), 0.0),
          processor_free_s_(positions_, 0.0),
          sharing_(sharing),
          shared_(wires) {
        std::int64_t most = 0;
        for (std::uint32_t tree = 0; tree < streams.size(); ++tree) {
            const std::int64_t all = streams[tree].segments.count;
            counts_.push_back(simulated == 0 ? all : std::min(all, simulated));
            most = std::max(most, counts_.back());
            carried_.push_back({});
            const Segments& segments = streams[tree].segments;
            const std::size_t lengths[] = {segments.first_bytes, segments.usual_bytes, segments.last_bytes};
            std::transform(std::begin(lengths), std::end(lengths), carried_.back().begin(),
                           [&](std::size_t bytes) { return wires.carried(bytes); });
            const Window& window = streams[tree].window;
            const std::int64_t widest = std::max(window.to_one_child, window.uncounted) + window.more_to_far + 2;
            widest_window_ = std::max(widest_window_, static_cast<std::size_t>(widest));
            lay_out(tree);
        }
        handed_over_s_.assign(edges_.size() * widest_window_, 0.0);
        schedule_.segments_s.assign(static_cast<std::size_t>(most), 0.0);
    }

    TreeSchedule run() {
        for (std::uint32_t tree = 0; tree < streams_.size(); ++tree) send_ready(tree, 0, 0.0);
        const auto settle_at = [this](double time_s) { settle(time_s); };
        go_through(events_, shared_, settle_at, [this](const Event& event) { handle(event); });
        return std::move(schedule_);
    }

  private:
    void handle(const Event& event) {
        switch (event.kind) {
            case Kind::begins:
                begin_flow(event.of, event.detail, event.time_s);
                break;
            case Kind::ends:
                end_flow({event.time_s, event.of, event.detail});
                break;
            case Kind::at_port:
                enter_port(event.of, event.detail, event.time_s, event.tail_s);
                break;
            case Kind::arrives:
                take(event.of, event.detail, event.time_s);
                break;
        }
    }

    void lay_out(std::uint32_t tree) {
        const TreeStream& stream = streams_[tree];
        for (std::size_t position = 0; position < positions_; ++position) {
            Node node;
            node.first_edge = static_cast<std::uint32_t>(edges_.size());
            bool any_far = false;
            for (const int child : stream.tree->children[position]) {
                edges_.push_back(edge_between(tree, static_cast<int>(position), child));
                any_far = any_far || edges_.back().far;
            }
            node.edges = static_cast<std::uint32_t>(edges_.size()) - node.first_edge;
            const std::int64_t more = any_far ? stream.window.more_to_far : 0;
            node.most_under_way = static_cast<std::int32_t>(stream.window.to_all + more);
            if (stream.window.uncounted > 0) node.waiting_first = static_cast<std::int32_t>(node.edges);
            nodes_.push_back(node);
        }
    }

    Edge edge_between(std::uint32_t tree, int sender, int receiver) {
        Edge edge;
        edge.sender = sender;
        edge.receiver = receiver;
        edge.tree = tree;
        edge.first_link = static_cast<std::uint32_t>(paths_.size());
        const std::vector<LinkId> path = wires_.between(sender, receiver);
        for (const LinkId link : path) edge.latency_s += wires_.link(link).latency_s;
        edge.far = is_far(path, edge.latency_s);
        paths_.insert(paths_.end(), path.begin(), path.end());
        edge.links = static_cast<std::uint32_t>(path.size());
        return edge;
    }

    /// As bcast::is_far, which looks for the way anew.
    [[nodiscard]] bool is_far(const std::vector<LinkId>& path, double latency_s) const {
        constexpr double rounding_s = 1e-9;
        const double ports_s = wires_.link(path.front()).latency_s + wires_.link(path.back()).latency_s;
        return path.size() > 2 && 2 * (latency_s - ports_s) >= ports_s - rounding_s;
    }

    Node& node(std::uint32_t tree, int position) { return nodes_[tree * positions_ + at(position)]; }

    [[nodiscard]] std::size_t length_of(std::uint32_t tree, std::int64_t segment) const {
        const Segments& segments = streams_[tree].segments;
        // Where some are left out, the last stands for the last of all.
        return segments.length(segment + 1 == counts_[tree] ? segments.count - 1 : segment);
    }

    /// What the links see of a segment. All but the first and the last are alike.
    [[nodiscard]] const Carried& carried(std::uint32_t tree, std::int64_t segment) const {
        return carried_[tree][segment + 1 == counts_[tree] ? 2 : segment == 0 ? 0 : 1];
    }

    void note(Kind kind, std::uint32_t of, double time_s, std::uint32_t detail, double tail_s = 0) {
        events_.push({time_s, tail_s, number_++, of, detail, kind});
    }

    /// What the machine's processor takes for a message of so many bytes, from `time_s` on at the earliest. Returns
    /// when it is done.
    double work(int position, double time_s, double each_s, std::size_t bytes) {
        double& free_s = processor_free_s_[at(position)];
        free_s = std::max(free_s, time_s) + each_s + static_cast<double>(bytes) * wires_.software(position).per_byte_s;
        return free_s;
    }

    /// Hands segments to the children in turn, as Stream::send_ready.
    void send_ready(std::uint32_t tree, int position, double time_s) {
        Node& sender = node(tree, position);
        const bool one_by_one = streams_[tree].window.one_by_one;
        std::uint32_t passed_over = 0;
        while (passed_over < sender.edges) {
            Edge& edge = edges_[sender.first_edge + sender.next];
            // Nothing may begin. In one piece, what has begun may go on.
            if (!one_by_one && sender.waiting_first == 0 && sender.under_way >= sender.most_under_way) return;
            const bool started = send_next(sender, edge, time_s);
            if (started && one_by_one && edge.started < counts_[tree]) continue;
            sender.next = sender.next + 1 == sender.edges ? 0 : sender.next + 1;
            passed_over = started ? 0 : passed_over + 1;
        }
    }

    /// Hands the child's next segment over if it is here and may go.
    bool send_next(Node& sender, Edge& edge, double time_s) {
        const Window& window = streams_[edge.tree].window;
        const std::int64_t segment = edge.started;
        const std::int64_t more = (edge.far ? window.more_to_far : 0) + (window.one_by_one ? 1 : 0);
        if (segment == counts_[edge.tree] || segment >= edge.arrived + window.to_one_child + more) return false;
        if (segment >= window.uncounted && edge.arrived < window.uncounted) return false;
        const bool begins = window.one_by_one ? segment == 0 : segment >= window.uncounted;
        if (begins && sender.under_way >= sender.most_under_way) return false;
        if (edge.sender != 0 && segment >= sender.arrived) return false;
        if (begins) ++sender.under_way;
        ++edge.started;
        if (edge.started == std::min(window.uncounted, counts_[edge.tree])) --sender.waiting_first;
        const double handed_over_s =
            work(edge.sender, time_s, wires_.software(edge.sender).send_s, length_of(edge.tree, segment));
        handed_over_at(edge, segment) = handed_over_s;
        start_matched(edge, handed_over_s);
        return true;
    }

    /// Puts the segments on the wire that were handed over and have a receive waiting for them.
    void start_matched(Edge& edge, double time_s) {
        // The first segment says how many will follow.
        const std::int64_t receives = edge.arrived == 0 ? 1 : edge.arrived + streams_[edge.tree].window.receives_ahead;
        const std::int64_t matched = std::min<std::int64_t>(edge.started, receives);
        for (; edge.on_wire < matched; ++edge.on_wire) {
            put_on_wire(edge, std::max(time_s, handed_over_at(edge, edge.on_wire)));
        }
    }

    /// When a segment was handed over that has not arrived yet: there are never more of them than the window is wide.
    [[nodiscard]] double& handed_over_at(const Edge& edge, std::int64_t segment) {
        const auto number = static_cast<std::size_t>(&edge - edges_.data());
        return handed_over_s_[number * widest_window_ + static_cast<std::size_t>(segment) % widest_window_];
    }

    void put_on_wire(const Edge& edge, double time_s) {
        const auto number = static_cast<std::uint32_t>(&edge - edges_.data());
        const auto& [bytes, latencies] = carried(edge.tree, edge.on_wire);
        const auto segment = static_cast<std::uint32_t>(edge.on_wire);
        if (sharing_ == Sharing::fair) return note(Kind::begins, number, time_s + latencies * edge.latency_s, segment);
        double rest_s = latencies * edge.latency_s;  // of the latencies ahead
        double head_s = time_s;
        double tail_s = 0;
        const auto cross = [&, bytes = bytes, latencies = latencies](LinkId id) {
            const Wires::Link& link = wires_.link(id);
            const double latency_s = latencies * link.latency_s;
            const double start_s = occupy(id, head_s, bytes);
            tail_s = std::max(tail_s, start_s + bytes * link.s_per_byte + rest_s);
            head_s = start_s + latency_s;
            rest_s -= latency_s;
        };
        for (std::uint32_t i = 0; i + 1 < edge.links; ++i) cross(paths_[edge.first_link + i]);
        if (streams_.size() == 1) {
            enter_port(number, segment, head_s, tail_s);  // nobody else sends there
        } else {
            note(Kind::at_port, number, head_s, segment, tail_s);
        }
    }

    double occupy(LinkId link, double time_s, double bytes) {
        double& free_s = free_s_[at(link)];
        const double start_s = std::max(time_s, free_s);
        free_s = start_s + bytes * wires_.link(link).busy_per_byte;
        return start_s;
    }

    void enter_port(std::uint32_t number, std::uint32_t segment, double head_s, double tail_s) {
        const Edge& edge = edges_[number];
        const LinkId in = port_in(wires_.machine(edge.receiver));
        const auto& [bytes, latencies] = carried(edge.tree, segment);
        const double start_s = occupy(in, head_s, bytes);
        const double end_s = start_s + bytes * wires_.link(in).s_per_byte + latencies * wires_.link(in).latency_s;
        note(Kind::arrives, number, std::max(tail_s, end_s), segment);
    }

    void begin_flow(std::uint32_t number, std::uint32_t segment, double time_s) {
        const Edge& edge = edges_[number];
        const double bytes = carried(edge.tree, segment).bytes;
        shared_.begin(number, {paths_.data() + edge.first_link, edge.links}, bytes, segment, time_s);
    }

    void end_flow(const SharedLinks::Ending& ending) {
        if (shared_.ends(ending)) take(ending.way, shared_.end(ending.way, ending.time_s), ending.time_s);
    }

    void settle(double time_s) {
        shared_.settle(time_s, endings_);
        for (const SharedLinks::Ending& ending : endings_) note(Kind::ends, ending.way, ending.time_s, ending.change);
        endings_.clear();
    }

    /// A short last segment may be there before those that it shared a link with; it counts after them.
    void take(std::uint32_t number, std::uint32_t segment, double time_s) {
        Edge& edge = edges_[number];
        const auto ahead = segment - static_cast<std::uint32_t>(edge.arrived);
        constexpr std::uint32_t most_ahead = 63;  // receives are never posted further ahead
        edge.there |= std::uint64_t{1} << std::min(ahead, most_ahead);
        for (; (edge.there & 1) != 0; edge.there >>= 1) arrive(number, time_s);
    }

    void arrive(std::uint32_t number, double time_s) {
        Edge& edge = edges_[number];
        const std::uint32_t tree = edge.tree;
        const Window& window = streams_[tree].window;
        const std::int64_t segment = edge.arrived++;
        if (window.one_by_one ? edge.arrived == counts_[tree] : edge.arrived > window.uncounted) {
            --node(tree, edge.sender).under_way;
        }
        const double there_s =
            work(edge.receiver, time_s, wires_.software(edge.receiver).receive_s, length_of(tree, segment));
        double& everywhere_s = schedule_.segments_s[static_cast<std::size_t>(segment)];
        everywhere_s = std::max(everywhere_s, there_s);
        schedule_.end_s = std::max(schedule_.end_s, there_s);
        ++node(tree, edge.receiver).arrived;
        start_matched(edge, there_s);
        send_ready(tree, edge.receiver, there_s);
        send_ready(tree, edge.sender, time_s);
    }

    const Wires& wires_;
    const std::vector<TreeStream>& streams_;
    std::size_t positions_;
    std::vector<std::int64_t> counts_;             // by tree: segments gone through
    std::vector<std::array<Carried, 3>> carried_;  // by tree: its first segment, its usual ones, its last
    std::vector<Node> nodes_;                      // by tree, by position
    std::vector<Edge> edges_;                      // those of one sender side by side, in sending order
    std::vector<LinkId> paths_;                    // all edges' ways
    std::size_t widest_window_ = 0;
    std::vector<double> handed_over_s_;     // by edge, by segment modulo the widest window
    std::vector<double> free_s_;            // by link
    std::vector<double> processor_free_s_;  // by position
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::uint32_t number_ = 0;
    Sharing sharing_;
    SharedLinks shared_;
    std::vector<SharedLinks::Ending> endings_;  // to be noted
    TreeSchedule schedule_;
};

}  // namespace

TreeSchedule schedule_trees(const Wires& wires, const std::vector<TreeStream>& streams, Sharing sharing,
                            std::int64_t simulated) {
    return TreeRun(wires, streams, sharing, simulated).run();
}

}  // namespace bcastgen
