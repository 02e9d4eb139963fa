#include "planner/price/rounds_schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <span>
#include <vector>

#include "base/index.hpp"
#include "bcast/trees/circulant.hpp"
#include "planner/price/ended_requests.hpp"
#include "planner/price/event_queue.hpp"
#include "planner/price/links_under_way.hpp"
#include "planner/price/segments.hpp"

namespace bcastgen {

namespace {

constexpr std::int64_t herald = -1;  // a message without content

/// What goes from one machine to another: in round k of each phase, from `from`.
struct RoundEdge {
    int from = 0;
    int to = 0;
    std::uint32_t turn = 0;              // k
    std::vector<std::int64_t> messages;  // blocks, in turn
    std::uint32_t started = 0;
    std::uint32_t posted = 0;
    std::uint32_t sure = 1;            // messages that come whatever the length is
    std::uint32_t arrived = 0;         // and been taken
    std::vector<double> ready_s;       // by message: since when one side is
    std::vector<std::size_t> parcels;  // by message: its place in the sender's queue
    std::vector<LinkId> path;
    double latency_s = 0;
};

struct RoundMachine {
    struct Parcel {
        std::uint32_t edge;
        std::int64_t block;
        bool sent = false;  // and told of
    };
    struct Ended {
        std::uint32_t request;  // its place
        std::uint32_t edge;
        std::uint32_t message;
        bool received;
    };
    /// A block that it gets.
    struct Arrival {
        std::uint32_t edge;
        std::int64_t block;
    };
    std::vector<Arrival> arrivals;  // by round
    std::size_t here = 0;           // of these, up to the first that is not here
    std::vector<Parcel> queue;
    std::size_t next = 0;
    std::size_t done = 0;
    std::vector<char> holds;  // by block
    bool has_any = false;
    EndedRequests<Ended> ended;
    double free_s = 0;
};

class RoundsRun {
  public:
    RoundsRun(const Wires& wires, const RoundsCase& one)
        : wires_(wires),
          one_(one),
          window_(static_cast<std::size_t>(one.window)),
          first_window_(static_cast<std::size_t>(bcast::first_rounds_window(one.window, one.strands))),
          by_round_(one.by_round && wires.awaits_receives()),
          posted_ahead_(static_cast<std::uint32_t>(std::min(one.strands + 1, bcast::receives_ahead))),
          links_(wires),
          machines_(at(wires.positions())) {
        const int positions = wires.positions();
        std::vector<bcast::CirculantPlace> places;
        for (int position = 0; position < positions; ++position) {
            const bcast::CirculantPlace place = bcast::circulant_place(positions, position);
            phase_ = static_cast<std::uint32_t>(place.phase());
            add_edges(place);
            places.push_back(place);
            RoundMachine& machine = machines_[at(position)];
            machine.holds.assign(static_cast<std::size_t>(one.cut.count()), position == 0 ? 1 : 0);
            const bcast::CirculantBlocks blocks{one.cut.count(), one.planned, one.strands};
            bcast::visit_circulant_rounds(place, blocks, [&](const bcast::CirculantRound& round) {
                const auto k = static_cast<std::uint32_t>(round.k);
                if (round.receive >= 0) {
                    machine.arrivals.push_back({edge_of(place.from(round.k), k), round.receive});
                }
                if (round.send < 0) return;
                const std::uint32_t edge = edge_of(position, k);
                machine.queue.push_back({edge, round.send});
                edges_[edge].messages.push_back(round.send);
                edges_[edge].parcels.push_back(machine.queue.size() - 1);
            });
        }
        for (RoundEdge& edge : edges_) {
            const auto sure = bcast::circulant_received(places[at(edge.to)], one.sure, static_cast<int>(edge.turn));
            edge.sure = static_cast<std::uint32_t>(std::max<std::int64_t>(1, sure));
            edge.ready_s.assign(edge.messages.size() + 1, 0.0);
            if (edge.to == 0 || (!one.heralded && !edge.messages.empty())) continue;
            edge.messages.insert(edge.messages.begin(), herald);
            edge.parcels.insert(edge.parcels.begin(), 0);
        }
    }

    RoundsSchedule run() {
        for (std::uint32_t number = 0; number < edges_.size(); ++number) post(number, 0);
        for (int position = 0; position < wires_.positions(); ++position) {
            for (std::uint32_t k = 0; k < phase_; ++k) {
                const std::uint32_t number = edge_of(position, k);
                if (!edges_[number].messages.empty() && edges_[number].messages.front() == herald) start(number, 0);
            }
            send_ready(position, 0);
        }
        const auto settle_at = [this](double time_s) { settle(time_s); };
        const auto goes_on = [](const Event& event) { return event.kind == Kind::ends; };
        go_through(events_, goes_on, settle_at, [this](const Event& event) { handle(event); });
        return schedule_;
    }

  private:
    enum class Kind : std::uint8_t { leaves, begins, ends, looks };
    struct Event {
        double time_s;
        std::uint32_t number;
        std::uint32_t of;      // edge or machine
        std::uint32_t detail;  // message, or change
        Kind kind;
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
        }
    };

    void add_edges(const bcast::CirculantPlace& place) {
        for (std::uint32_t k = 0; k < phase_; ++k) {
            RoundEdge edge;
            edge.from = place.position;
            edge.to = place.to(static_cast<int>(k));
            edge.turn = k;
            edge.path = wires_.between(edge.from, edge.to);
            for (const LinkId link : edge.path) edge.latency_s += wires_.link(link).latency_s;
            edges_.push_back(std::move(edge));
        }
    }

    [[nodiscard]] std::uint32_t edge_of(int from, std::uint32_t k) const {
        return static_cast<std::uint32_t>(from) * phase_ + k;
    }
    [[nodiscard]] std::size_t bytes_of(const RoundEdge& edge, std::uint32_t message) const {
        const std::int64_t block = edge.messages[message];
        return block == herald ? 0 : one_.cut.length(block);
    }
    void note(Kind kind, std::uint32_t of, double time_s, std::uint32_t detail) {
        events_.push({time_s, number_++, of, detail, kind});
    }

    /// The machine's processor is busy with a message for a while. Returns when it is done.
    double work(int position, double time_s, double each_s, std::size_t bytes) {
        RoundMachine& machine = machines_[at(position)];
        machine.free_s = std::max(machine.free_s, time_s) + each_s +
                         static_cast<double>(bytes) * wires_.software(position).per_byte_s;
        return machine.free_s;
    }

    /// Hands an edge's next message over.
    void start(std::uint32_t number, double time_s) {
        RoundEdge& edge = edges_[number];
        const std::uint32_t message = edge.started++;
        const double handed_over_s =
            work(edge.from, time_s, wires_.software(edge.from).send_s, bytes_of(edge, message));
        if (message < edge.posted) {
            put_on_wire(number, message, std::max(handed_over_s, edge.ready_s[message]));
        } else {
            edge.ready_s[message] = handed_over_s;
        }
    }

    void send_ready(int position, double time_s) {
        RoundMachine& machine = machines_[at(position)];
        const std::size_t window = machine.done == 0 ? first_window_ : window_;
        for (; machine.next < machine.queue.size() && machine.next < machine.done + window; ++machine.next) {
            const RoundMachine::Parcel& parcel = machine.queue[machine.next];
            if (machine.holds[static_cast<std::size_t>(parcel.block)] == 0) return;
            start(parcel.edge, time_s);
        }
    }

    [[nodiscard]] bool is_its_turn(const RoundEdge& edge) const {
        if (!by_round_ || edge.posted == 0) return true;
        const RoundMachine& machine = machines_[at(edge.to)];
        return machine.arrivals[machine.here].block == edge.messages[edge.posted];
    }

    /// Before the length is known, this machine's last block may have less than another sends there.
    [[nodiscard]] bool has_room(const RoundEdge& edge) const {
        return edge.posted == 0 || edge.arrived > 0 || bytes_of(edge, edge.posted) == one_.longest_bytes;
    }

    /// Posts receives for what is sure to come: the first message says how many follow.
    void post(std::uint32_t number, double time_s) {
        RoundEdge& edge = edges_[number];
        const std::uint32_t ahead = edge.arrived == 0 ? std::min(edge.sure, posted_ahead_) : posted_ahead_;
        const auto most = std::min(static_cast<std::uint32_t>(edge.messages.size()), edge.arrived + ahead);
        while (edge.posted < most && is_its_turn(edge) && has_room(edge)) {
            const std::uint32_t message = edge.posted++;
            if (message < edge.started) {
                put_on_wire(number, message, std::max(time_s, edge.ready_s[message]));
            } else {
                edge.ready_s[message] = time_s;
            }
        }
    }

    void put_on_wire(std::uint32_t number, std::uint32_t message, double time_s) {
        if (wires_.in_turn()) return note(Kind::leaves, number, time_s, message);
        note(Kind::begins, number, time_s + latency_s(number, message), message);
    }
    [[nodiscard]] double latency_s(std::uint32_t number, std::uint32_t message) const {
        return wires_.carried(bytes_of(edges_[number], message)).latencies * edges_[number].latency_s;
    }

    void handle(const Event& event) {
        switch (event.kind) {
            case Kind::leaves:
                note(Kind::begins, event.of, event.time_s + latency_s(event.of, event.detail), event.detail);
                break;
            case Kind::begins:
                links_.begin(event.of, edges_[event.of].path,
                             wires_.carried(bytes_of(edges_[event.of], event.detail)).bytes, event.detail,
                             event.time_s);
                break;
            case Kind::ends:
                if (const auto arrived = links_.go_on({event.time_s, event.of, event.detail})) {
                    end(arrived->way, arrived->message, event.time_s);
                }
                break;
            case Kind::looks:
                woken_.push_back(static_cast<int>(event.of));
                break;
        }
    }

    /// A message is there: a request of each side has ended.
    void end(std::uint32_t number, std::uint32_t message, double time_s) {
        const RoundEdge& edge = edges_[number];
        const bool is_herald = edge.messages[message] == herald;
        const auto place = static_cast<std::uint32_t>(edge.parcels[message] % window_);
        const auto receives = phase_ + static_cast<std::uint32_t>(window_);  // behind heralds and blocks that are sent
        tell(edge.from, {is_herald ? edge.turn : phase_ + place, number, message, false}, time_s);
        tell(edge.to, {receives + edge.turn * posted_ahead_ + message % posted_ahead_, number, message, true}, time_s);
    }

    void tell(int position, const RoundMachine::Ended& ended, double time_s) {
        RoundMachine& machine = machines_[at(position)];
        if (!machine.ended.add(ended, machine.free_s <= time_s - moment_s)) return;
        if (machine.free_s < time_s + moment_s) {
            woken_.push_back(position);
        } else {
            note(Kind::looks, static_cast<std::uint32_t>(position), machine.free_s, 0);
        }
    }

    void settle(double time_s) {
        for (std::size_t i = 0; i < woken_.size(); ++i) look(woken_[i], time_s);
        woken_.clear();
        links_.settle(time_s,
                      [this](const LinksUnderWay::Step& step) { note(Kind::ends, step.of, step.time_s, step.change); });
    }

    /// Goes round the engine's loop until nothing has ended, or the processor is busy.
    void look(int position, double time_s) {
        RoundMachine& machine = machines_[at(position)];
        const auto by_place = [](const auto& a, const auto& b) { return a.request < b.request; };
        while (!machine.ended.is_done()) {
            if (machine.free_s >= time_s + moment_s) {
                return note(Kind::looks, static_cast<std::uint32_t>(position), machine.free_s, 0);
            }
            const RoundMachine::Ended ended = machine.ended.take(by_place);
            if (ended.received) {
                take_receive(ended, time_s);
            } else if (edges_[ended.edge].messages[ended.message] != herald) {
                machine.queue[edges_[ended.edge].parcels[ended.message]].sent = true;
                while (machine.done < machine.next && machine.queue[machine.done].sent) ++machine.done;
            }
            send_ready(position, time_s);
        }
    }

    void take_receive(const RoundMachine::Ended& ended, double time_s) {
        RoundEdge& edge = edges_[ended.edge];
        RoundMachine& machine = machines_[at(edge.to)];
        const double there_s = work(edge.to, time_s, wires_.software(edge.to).receive_s, bytes_of(edge, ended.message));
        ++edge.arrived;
        const std::int64_t block = edge.messages[ended.message];
        if (block != herald) {
            if (!machine.has_any) schedule_.first_s = std::max(schedule_.first_s, there_s);
            machine.has_any = true;
            machine.holds[static_cast<std::size_t>(block)] = 1;
        }
        schedule_.end_s = std::max(schedule_.end_s, there_s);
        post(ended.edge, there_s);
        if (!by_round_) return;
        const auto is_here = [&](const RoundMachine::Arrival& arrival) {
            return machine.holds[static_cast<std::size_t>(arrival.block)] != 0;
        };
        while (machine.here < machine.arrivals.size() && is_here(machine.arrivals[machine.here])) ++machine.here;
        if (machine.here < machine.arrivals.size()) post(machine.arrivals[machine.here].edge, there_s);
    }

    const Wires& wires_;
    const RoundsCase& one_;
    std::size_t window_;
    std::size_t first_window_;
    bool by_round_;               // receives are posted, and messages wait for them
    std::uint32_t posted_ahead_;  // receives, of each sender
    LinksUnderWay links_;
    std::vector<RoundMachine> machines_;
    std::vector<RoundEdge> edges_;
    std::uint32_t phase_ = 0;
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::vector<int> woken_;  // machines at this moment
    std::uint32_t number_ = 0;
    RoundsSchedule schedule_;
};

}  // namespace

RoundsCase rounds_case(int machines, const RuledMessage& message, std::size_t segment_bytes, const bcast::Hop& hop) {
    int phase = 0;
    while ((std::int64_t{1} << phase) < machines) ++phase;
    // As far as tags tell lengths apart, where an MPI has many (SegmentTags in templates/bcast/pipeline/lane.hpp).
    constexpr std::size_t longest_told = std::size_t{1} << (most_length_bits - 2);
    std::size_t longest = std::min(bcast::longest_block_bytes, longest_told / static_cast<std::size_t>(phase + 1));
    if (segment_bytes > 0) longest = std::min(longest, segment_bytes);
    RoundsCase one;
    one.longest_bytes = longest;
    one.phase = phase;
    const std::int64_t strands = bcast::usual_strands(hop, longest, machines);
    const bool unheralded = longest > most_first_bytes && bcast::go_unheralded(longest, message.above_bytes, strands);
    const bool told = message.bytes < std::size_t{1} << (most_length_bits - 1);
    one.cut = bcast::block_cut(hop, message.bytes, longest, !unheralded && told);
    one.heralded = !unheralded && one.cut.usual_bytes() > most_first_bytes;
    one.strands = std::min(strands, one.cut.count());
    if (unheralded) {
        // More make no difference: no sender has more receives posted.
        const std::int64_t most = (bcast::receives_ahead + 1) * phase;
        one.sure = std::min({one.cut.count(), bcast::sure_blocks(hop, longest, message.above_bytes), most});
    }
    one.planned = bcast::planned_blocks(one.cut, one.strands, phase);
    one.window = bcast::usual_rounds_window(hop, one.cut, phase, one.strands);
    one.by_round = bcast::receives_by_round(hop, one.window);
    return one;
}

RoundsSchedule schedule_rounds(const Wires& wires, const RoundsCase& one) {
    return RoundsRun(wires, one).run();
}

}  // namespace bcastgen
