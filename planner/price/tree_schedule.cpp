#include "planner/price/tree_schedule.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/index.hpp"
#include "planner/price/event_queue.hpp"
#include "planner/price/links_under_way.hpp"
#include "planner/price/stream_places.hpp"

namespace bcastgen {

namespace {

enum class Kind : std::uint8_t {
    leaves,   // an edge's next segment is on its way
    begins,   // an edge's next segment comes to the links that it shares with others
    ends,     // an edge's segment has crossed them, unless that has changed
    at_port,  // the first byte of an edge's next segment is at the receiver's port
    arrives,  // an edge's next segment is there
    looks     // a machine's processor is free again, and something has ended meanwhile
};

struct Event {
    double time_s = 0;
    double tail_s = 0;         // at_port: when the last byte can be there at the earliest
    std::uint32_t number = 0;  // of equal times the first noted goes first
    std::uint32_t of = 0;      // edge, or machine
    std::uint32_t detail = 0;  // the segment's number, or that of the change
    Kind kind = Kind::arrives;
};

struct Later {
    bool operator()(const Event& a, const Event& b) const {
        if (a.time_s != b.time_s) return a.time_s > b.time_s;
        return static_cast<std::int32_t>(a.number - b.number) > 0;
    }
};

constexpr std::uint32_t no_more = UINT32_MAX;

/// A send or a receive that has ended, of which its machine has not been told yet.
struct Ended {
    std::uint32_t request = 0;  // its place among the machine's
    std::uint32_t edge = no_more;
    std::uint32_t next = no_more;  // of the machine's, with a later place
    std::int32_t segment = 0;
    bool received = false;
};

/// A machine's processor goes round a loop, as Pipeline::loop: it waits until any request has ended, is told of one,
/// and starts all that can be started then. Meanwhile others end.
struct Processor {
    double free_s = 0;              // until then it is busy
    std::uint32_t first = no_more;  // what has ended meanwhile
    std::uint32_t last = no_more;
    bool looks = false;  // it will, as soon as it is free
    Software software;
    // The port that its messages come in by, where they cross it one after the other.
    Wires::Link port_in;
    double port_in_free_s = 0;
};

class TreeRun {
  public:
    TreeRun(const Wires& wires, const std::vector<TreeStream>& streams, Sharing sharing, std::int64_t simulated)
        : wires_(wires),
          streams_(streams),
          places_(wires, streams),
          free_s_(wires.links(), 0.0),
          processors_(places_.positions),
          events_(hop_s(wires, streams), buckets_for(places_.positions)),
          sharing_(sharing),
          links_(wires) {
        for (const TreeStream& stream : streams) {
            const bcast::SegmentLengths& segments = stream.segments;
            counts_.push_back(simulated == 0 ? segments.count : std::min(segments.count, simulated));
            carried_.push_back({});
            const std::size_t lengths[] = {segments.first_bytes, segments.usual_bytes, segments.last_bytes};
            std::transform(std::begin(lengths), std::end(lengths), carried_.back().begin(),
                           [&](std::size_t bytes) { return wires.carried(bytes); });
        }
        for (int position = 0; position < static_cast<int>(places_.positions); ++position) {
            processors_[at(position)].software = wires.software(position);
            processors_[at(position)].port_in = wires.link(port_in(wires.machine(position)));
        }
        ready_s_.assign(places_.edges.size() * places_.widest_window, 0.0);
    }

    TreeSchedule run() {
        for (Edge& edge : places_.edges) post_receives(edge, 0.0);
        for (std::uint32_t tree = 0; tree < streams_.size(); ++tree) send_ready(tree, 0, 0.0);
        const auto settle_at = [this](double time_s) { settle(time_s); };
        const auto goes_on = [](const Event& event) { return event.kind == Kind::ends; };
        go_through(events_, goes_on, settle_at, [this](const Event& event) { handle(event); });
        return schedule_;
    }

  private:
    /// About what a segment takes from one machine to the next.
    static double hop_s(const Wires& wires, const std::vector<TreeStream>& streams) {
        const Wires::Link& port = wires.link(port_out(wires.machine(0)));
        const auto& [bytes, latencies] = wires.carried(streams.front().segments.usual_bytes);
        return bytes * port.s_per_byte + 2 * latencies * port.latency_s + wires.software(0).send_s;
    }

    static std::size_t buckets_for(std::size_t machines) {
        constexpr std::size_t least = 16;
        constexpr std::size_t most = 65536;
        return std::clamp(2 * machines, least, most);
    }

    void handle(const Event& event) {
        switch (event.kind) {
            case Kind::leaves:
                leave(event.of, event.detail, event.time_s);
                break;
            case Kind::begins:
                begin(event.of, event.detail, event.time_s);
                break;
            case Kind::ends:
                go_on({event.time_s, event.of, event.detail});
                break;
            case Kind::at_port:
                enter_port(event.of, event.detail, event.time_s, event.tail_s);
                break;
            case Kind::arrives:
                end(event.of, static_cast<std::int32_t>(event.detail), event.time_s);
                break;
            case Kind::looks:
                woken_.emplace_back(event.of, Ended());
                break;
        }
    }

    [[nodiscard]] std::size_t length_of(std::uint32_t tree, std::int64_t segment) const {
        const bcast::SegmentLengths& segments = streams_[tree].segments;
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

    /// The machine's processor is busy with a message for a while. Returns when it is done.
    static double work(Processor& processor, double time_s, double each_s, std::size_t bytes) {
        processor.free_s =
            std::max(processor.free_s, time_s) + each_s + static_cast<double>(bytes) * processor.software.per_byte_s;
        return processor.free_s;
    }

    /// Hands segments to the children in turn, as Stream::send_ready.
    void send_ready(std::uint32_t tree, int position, double time_s) {
        Node& sender = places_.node(tree, position);
        send_in_turn(sender, sender.next, false, time_s);
        if (sender.some_wait) send_in_turn(sender, sender.next_waiting, true, time_s);
    }

    /// The same to those that wait for the others, or to these.
    void send_in_turn(Node& sender, std::uint32_t& next, bool waiting, double time_s) {
        std::uint32_t passed_over = 0;
        while (passed_over < sender.edges) {
            Edge& edge = places_.edges[sender.first_edge + next];
            const bool one_by_one = streams_[edge.tree].window.one_by_one;
            // Nothing may begin. In one piece, what has begun may go on.
            if (!one_by_one && sender.waiting_first == 0 && sender.under_way.full()) return;
            const bool started = edge.waits == waiting && send_next(sender, edge, time_s);
            if (started && one_by_one && edge.started < counts_[edge.tree]) continue;
            next = next + 1 == sender.edges ? 0 : next + 1;
            passed_over = started ? 0 : passed_over + 1;
        }
    }

    /// Hands the child's next segment over if it is here and may go.
    bool send_next(Node& sender, Edge& edge, double time_s) {
        const Window& window = streams_[edge.tree].window;
        const std::int64_t segment = edge.started;
        const std::int64_t more = edge.more + (window.one_by_one ? 1 : 0);
        if (segment == counts_[edge.tree] || segment >= edge.sent + window.to_one_child + more) return false;
        const bool may_be_late = edge.sent < window.uncounted;
        if (segment >= window.uncounted && may_be_late && !window.more_follow) return false;
        const bool is_counted = segment >= window.uncounted && !may_be_late;
        const bool begins = window.one_by_one ? segment == 0 : is_counted;
        if (begins && sender.under_way.full()) return false;
        if (sender.parent != Node::none && segment >= places_.edges[sender.parent].arrived) return false;
        if (begins) sender.under_way.begin();
        ++edge.started;
        if (!is_counted) edge.uncounted = static_cast<std::uint8_t>(edge.started);
        Processor& processor = processors_[at(edge.sender)];
        const double handed_over_s = work(processor, time_s, processor.software.send_s, length_of(edge.tree, segment));
        meet(edge, segment, segment < edge.posted, handed_over_s);
        return true;
    }

    /// Posts receives for the segments that are sure to come, as far ahead as usual: the first says how many follow.
    void post_receives(Edge& edge, double time_s) {
        const Node& receiver = places_.node(edge.tree, edge.receiver);
        const std::int64_t sure = edge.arrived == 0 ? receiver.sure : counts_[edge.tree];
        const std::int64_t most = std::min<std::int64_t>(sure, edge.arrived + receiver.receives);
        while (edge.posted < most) {
            const std::int32_t segment = edge.posted++;
            meet(edge, segment, segment < edge.started, time_s);
        }
    }

    /// One side is ready for a segment. It leaves once the other is, too.
    void meet(const Edge& edge, std::int64_t segment, bool other_is_ready, double time_s) {
        const auto number = static_cast<std::size_t>(&edge - places_.edges.data());
        double& ready_s =
            ready_s_[number * places_.widest_window + static_cast<std::size_t>(segment) % places_.widest_window];
        if (!other_is_ready) {
            ready_s = time_s;
        } else {
            put_on_wire(edge, static_cast<std::uint32_t>(segment), std::max(ready_s, time_s));
        }
    }

    void put_on_wire(const Edge& edge, std::uint32_t segment, double time_s) {
        const auto number = static_cast<std::uint32_t>(&edge - places_.edges.data());
        const auto& [bytes, latencies] = carried(edge.tree, segment);
        if (sharing_ == Sharing::fair) {
            return wires_.in_turn() ? note(Kind::leaves, number, time_s, segment)
                                    : note(Kind::begins, number, time_s + latencies * edge.latency_s, segment);
        }
        double rest_s = latencies * edge.latency_s;  // of the latencies ahead
        double head_s = time_s;
        double tail_s = 0;
        for (const LinkId id : places_.path(edge).first(edge.links - 1)) {
            const Wires::Link& link = wires_.link(id);
            const double latency_s = latencies * link.latency_s;
            const double start_s = occupy(id, head_s, bytes);
            tail_s = std::max(tail_s, start_s + bytes * link.s_per_byte + rest_s);
            head_s = start_s + latency_s;
            rest_s -= latency_s;
        }
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
        const Edge& edge = places_.edges[number];
        const auto& [bytes, latencies] = carried(edge.tree, segment);
        Processor& receiver = processors_[at(edge.receiver)];
        const double start_s = std::max(head_s, receiver.port_in_free_s);
        receiver.port_in_free_s = start_s + bytes * receiver.port_in.busy_per_byte;
        const double end_s = start_s + bytes * receiver.port_in.s_per_byte + latencies * receiver.port_in.latency_s;
        note(Kind::arrives, number, std::max(tail_s, end_s), segment);
    }

    void leave(std::uint32_t number, std::uint32_t segment, double time_s) {
        const Edge& edge = places_.edges[number];
        note(Kind::begins, number, time_s + carried(edge.tree, segment).latencies * edge.latency_s, segment);
    }

    void begin(std::uint32_t number, std::uint32_t segment, double time_s) {
        const Edge& edge = places_.edges[number];
        links_.begin(number, places_.path(edge), carried(edge.tree, segment).bytes, segment, time_s);
    }

    void go_on(const LinksUnderWay::Step& step) {
        if (const auto arrived = links_.go_on(step)) {
            end(arrived->way, static_cast<std::int32_t>(arrived->message), step.time_s);
        }
    }

    /// At the end of a moment: processors go on that are free by now, then rates.
    void settle(double time_s) {
        for (std::size_t i = 0; i < woken_.size(); ++i) {
            const auto [position, ended] = woken_[i];
            if (ended.edge != no_more) take(static_cast<int>(position), ended, time_s);
            look(position, time_s);
        }
        woken_.clear();
        links_.settle(time_s,
                      [this](const LinksUnderWay::Step& step) { note(Kind::ends, step.of, step.time_s, step.change); });
    }

    /// A segment is there: one request of each side's has ended.
    void end(std::uint32_t number, std::int32_t segment, double time_s) {
        const Edge& edge = places_.edges[number];
        const Node& receiver = places_.node(edge.tree, edge.receiver);
        const Node& sender = places_.node(edge.tree, edge.sender);
        const auto slot = static_cast<std::uint32_t>(segment);
        const auto receives = static_cast<std::uint32_t>(receiver.receives);
        const auto slots = static_cast<std::uint32_t>(sender.slots);
        tell(edge.receiver, {receiver.first_receive + slot % receives, number, no_more, segment, true}, time_s);
        tell(edge.sender, {sender.first_send + edge.child * slots + slot % slots, number, no_more, segment, false},
             time_s);
    }

    /// A processor that waits is told first of what ends first. Else it will look when it is free, and is told first of
    /// what has the first place then.
    void tell(int position, const Ended& ended, double time_s) {
        Processor& processor = processors_[at(position)];
        const auto number = static_cast<std::uint32_t>(position);
        if (processor.looks) return keep(processor, ended);
        processor.looks = true;
        const bool was_waiting = processor.free_s <= time_s - moment_s;
        if (!was_waiting) keep(processor, ended);
        if (processor.free_s < time_s + moment_s) {
            woken_.emplace_back(number, was_waiting ? ended : Ended());
        } else {
            note(Kind::looks, number, processor.free_s, 0);
        }
    }

    void keep(Processor& processor, const Ended& ended) {
        std::uint32_t kept = unused_;
        if (kept == no_more) {
            kept = static_cast<std::uint32_t>(ended_.size());
            ended_.push_back(ended);
        } else {
            unused_ = ended_[kept].next;
            ended_[kept] = ended;
        }
        std::uint32_t before = no_more;
        if (processor.last != no_more && ended_[processor.last].request < ended.request) {
            before = processor.last;
        } else {
            for (std::uint32_t i = processor.first; i != no_more && ended_[i].request < ended.request;
                 i = ended_[i].next)
                before = i;
        }
        std::uint32_t& link = before == no_more ? processor.first : ended_[before].next;
        ended_[kept].next = link;
        link = kept;
        if (ended_[kept].next == no_more) processor.last = kept;
    }

    void look(std::uint32_t position, double time_s) {
        Processor& processor = processors_[position];
        while (processor.first != no_more) {
            if (processor.free_s >= time_s + moment_s) return note(Kind::looks, position, processor.free_s, 0);
            const std::uint32_t kept = processor.first;
            const Ended ended = ended_[kept];
            processor.first = ended.next;
            if (ended.next == no_more) processor.last = no_more;
            ended_[kept].next = unused_;
            unused_ = kept;
            take(static_cast<int>(position), ended, time_s);
        }
        processor.looks = false;
    }

    void take(int position, const Ended& ended, double time_s) {
        if (ended.received) {
            take_receive(places_.edges[ended.edge], ended.segment, time_s);
        } else {
            take_send(places_.edges[ended.edge], ended.segment);
        }
        send_ready(places_.edges[ended.edge].tree, position, time_s);
    }

    void take_receive(Edge& edge, std::int32_t segment, double time_s) {
        Processor& processor = processors_[at(edge.receiver)];
        const double there_s = work(processor, time_s, processor.software.receive_s, length_of(edge.tree, segment));
        // One that was there before another that it follows counts after it.
        edge.taken |= std::uint64_t{1} << static_cast<std::uint32_t>(segment - edge.arrived);
        if (segment == 0) schedule_.first_s = std::max(schedule_.first_s, there_s);
        for (; (edge.taken & 1) != 0; edge.taken >>= 1) ++edge.arrived;
        schedule_.end_s = std::max(schedule_.end_s, there_s);
        post_receives(edge, there_s);
    }

    void take_send(Edge& edge, std::int32_t segment) {
        const Window& window = streams_[edge.tree].window;
        edge.seen |= std::uint64_t{1} << static_cast<std::uint32_t>(segment - edge.sent);
        for (; (edge.seen & 1) != 0; edge.seen >>= 1) {
            ++edge.sent;
            Node& sender = places_.node(edge.tree, edge.sender);
            if (window.one_by_one ? edge.sent == counts_[edge.tree] : edge.sent > edge.uncounted)
                sender.under_way.end();
            if (edge.sent == std::min(window.uncounted, counts_[edge.tree])) --sender.waiting_first;
        }
    }

    const Wires& wires_;
    const std::vector<TreeStream>& streams_;
    StreamPlaces places_;
    std::vector<std::int64_t> counts_;             // by tree: segments gone through
    std::vector<std::array<Carried, 3>> carried_;  // by tree: its first segment, its usual ones, its last
    std::vector<double> ready_s_;        // by edge, by segment modulo the widest window: since when one side is
    std::vector<double> free_s_;         // by link
    std::vector<Processor> processors_;  // by position
    std::vector<Ended> ended_;           // of all processors
    std::vector<std::pair<std::uint32_t, Ended>> woken_;  // processors at this moment, and for what
    std::uint32_t unused_ = no_more;                      // of those
    EventQueue<Event, Later> events_;
    std::uint32_t number_ = 0;
    Sharing sharing_;
    LinksUnderWay links_;
    TreeSchedule schedule_;
};

}  // namespace

TreeSchedule schedule_trees(const Wires& wires, const std::vector<TreeStream>& streams, Sharing sharing,
                            std::int64_t simulated) {
    return TreeRun(wires, streams, sharing, simulated).run();
}

}  // namespace bcastgen
