#include "planner/price/ring_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/ring_walk.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "planner/price/ended_requests.hpp"
#include "planner/price/event_queue.hpp"
#include "planner/price/links_under_way.hpp"
#include "planner/price/segments.hpp"

namespace bcastgen {

namespace {

constexpr int rounds_gone_through = 16;  // and twice as many: the difference is what as many further ones take

/// All pieces from one machine to another, of the scatter or of the ring.
struct Stream {
    int from = 0;
    int to = 0;
    std::vector<std::size_t> pieces;  // their bytes
    std::vector<std::int64_t> needs;  // of the ring: pieces that must have come round before each is sent
    std::vector<LinkId> path;
    double latency_s = 0;
    std::int64_t started = 0;     // sends
    std::int64_t posted = 0;      // receives; a piece that has both is on its way
    std::int64_t sent = 0;        // that have arrived as far as the sender was told
    std::int64_t arrived = 0;     // and the receiver
    std::uint64_t seen = 0;       // bit i: the sender was told of piece sent + i
    std::uint64_t taken = 0;      // bit i: the receiver was told of piece arrived + i
    std::vector<double> ready_s;  // by piece modulo its length: since when one side is

    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(pieces.size()); }
    [[nodiscard]] std::int64_t open() const { return started - sent; }
    [[nodiscard]] bool over() const { return arrived == count(); }
    /// What comes first says how much follows.
    [[nodiscard]] bool may_post() const {
        return posted < count() && posted < arrived + (arrived == 0 ? 1 : bcast::receives_ahead);
    }
};

constexpr std::int64_t most_open = 64;  // bits of seen and taken; windows are smaller

/// Counts one of a row, with those after it that were told of before.
void count_one(std::int64_t& counted, std::uint64_t& told, std::int64_t piece) {
    told |= std::uint64_t{1} << static_cast<std::uint32_t>(piece - counted);
    for (; (told & 1) != 0; told >>= 1) ++counted;
}

/// The most bytes of the first piece where others have `piece_bytes`: what receivers look at before they receive it.
std::size_t first_of(std::size_t piece_bytes) {
    return piece_bytes <= most_alone_bytes ? piece_bytes : most_first_bytes;
}

/// The pieces of one of the scatter's sends.
std::vector<std::size_t> pieces_of(std::size_t bytes, std::size_t longest_bytes) {
    std::vector<std::size_t> pieces{first_of(std::min(bytes, longest_bytes))};
    for (std::size_t left = bytes - pieces.front(); left > 0; left -= pieces.back()) {
        pieces.push_back(std::min(left, longest_bytes));
    }
    return pieces;
}

class RingRun {
  public:
    RingRun(const Wires& wires, const RingBroadcast& broadcast, int rounds)
        : wires_(wires),
          links_(wires),
          positions_(broadcast.scatter->size()),
          blocks_(broadcast.bytes, positions_),
          held_(bcast::blocks_held(*broadcast.scatter)),
          tuned_(broadcast.tuned),
          rounds_(rounds) {
        const std::size_t block_bytes = blocks_.end(0);
        const bcast::SegmentLengths cut = segments_of(block_bytes, broadcast.segment_bytes, 1);
        // RingEngine::start: pieces are as long as segments may be.
        longest_bytes_ = segments_of(broadcast.bytes, broadcast.segment_bytes, 1).usual_bytes;
        ring_most_ = {first_of(cut.usual_bytes), cut.usual_bytes};
        in_step_ = cut.usual_bytes == block_bytes && blocks_.begin(positions_ - 1) < broadcast.bytes;
        window_ = bcast::usual_ring_window(block_bytes, cut.usual_bytes);
        lay_out(*broadcast.scatter);
    }

    double run() {
        for (int position = 0; position < positions_; ++position) go_on(position, 0);
        const auto goes_on = [](const Event& event) { return event.kind == Kind::ends; };
        const auto settle_at = [this](double time_s) { settle(time_s); };
        go_through(events_, goes_on, settle_at, [this](const Event& event) { handle(event); });
        return end_s_;
    }

  private:
    struct Machine {
        std::size_t scatter_in = 0;  // of the root: none
        std::vector<std::size_t> scatter_out;
        std::size_t next_out = 0;
        std::size_t ring_in = 0;
        std::size_t ring_out = 0;
        double free_s = 0;                                          // its processor
        EndedRequests<std::pair<std::size_t, std::int64_t>> ended;  // by stream and piece
    };
    enum class Kind : std::uint8_t { begins, ends, looks };
    struct Event {
        double time_s;
        std::uint32_t number;
        std::uint32_t of;      // stream, or machine
        std::uint32_t detail;  // piece, or change
        Kind kind;
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
        }
    };

    void lay_out(const bcast::Tree& scatter) {
        machines_.resize(at(positions_));
        for (int position = 0; position < positions_; ++position) {
            for (const int child : scatter.children[at(position)]) {
                const std::size_t bytes = blocks_.end(child + held_[at(child)] - 1) - blocks_.begin(child);
                const std::size_t number = add(position, child, pieces_of(bytes, longest_bytes_));
                machines_[at(position)].scatter_out.push_back(number);
                machines_[at(child)].scatter_in = number;
            }
        }
        for (int position = 0; position < positions_; ++position) {
            const int right = (position + 1) % positions_;
            const std::size_t number = add(position, right, {});
            machines_[at(position)].ring_out = number;
            machines_[at(right)].ring_in = number;
        }
        for (int position = 0; position < positions_; ++position) fill_ring(position);
    }

    std::size_t add(int from, int to, std::vector<std::size_t> pieces) {
        Stream stream;
        stream.from = from;
        stream.to = to;
        stream.pieces = std::move(pieces);
        stream.path = wires_.between(from, to);
        for (const LinkId link : stream.path) stream.latency_s += wires_.link(link).latency_s;
        stream.ready_s.resize(most_open);
        streams_.push_back(std::move(stream));
        return streams_.size() - 1;
    }

    [[nodiscard]] int rounds_to(int position) const {
        const int all = bcast::ring_blocks(held_[at(position)], positions_, tuned_);
        return rounds_ > 0 ? std::min(all, rounds_) : all;
    }

    /// What a machine sends round the ring, and how much of what it receives it needs for each piece
    /// (RingEngine::available).
    void fill_ring(int position) {
        Stream& out = streams_[machines_[at(position)].ring_out];
        bcast::RingWalk sending(blocks_, positions_, position, rounds_to(out.to), ring_most_);
        bcast::RingWalk arriving(blocks_, positions_, bcast::ring_block(position, positions_, 0), rounds_to(position),
                                 ring_most_);
        std::int64_t come = 0;
        for (; !sending.ended(); sending.next()) {
            const bcast::RingPiece piece = sending.piece();
            const bool held = bcast::holds_block(position, held_[at(position)], positions_, piece.block);
            const auto is_here = [&] {
                if (arriving.ended() || piece.bytes == 0) return true;
                if (held) return !in_step_ || arriving.step() >= piece.step;
                return arriving.step() > piece.step - 1 ||
                       (arriving.step() == piece.step - 1 && arriving.offset() >= sending.offset() + piece.bytes);
            };
            for (; !is_here(); arriving.next()) ++come;
            out.pieces.push_back(piece.bytes);
            out.needs.push_back(come);
        }
    }

    void note(Kind kind, std::size_t of, double time_s, std::uint32_t detail) {
        events_.push({time_s, number_++, static_cast<std::uint32_t>(of), detail, kind});
    }

    void handle(const Event& event) {
        if (event.kind == Kind::looks) {
            woken_.push_back(static_cast<int>(event.of));
        } else if (event.kind == Kind::begins) {
            const Stream& stream = streams_[event.of];
            links_.begin(event.of, stream.path, wires_.carried(stream.pieces[event.detail]).bytes, event.detail,
                         event.time_s);
        } else if (const auto arrived = links_.go_on({event.time_s, event.of, event.detail})) {
            end(arrived->way, arrived->message, event.time_s);
        }
    }

    void settle(double time_s) {
        for (std::size_t i = 0; i < woken_.size(); ++i) look(woken_[i], time_s);
        woken_.clear();
        links_.settle(time_s,
                      [this](const LinksUnderWay::Step& step) { note(Kind::ends, step.of, step.time_s, step.change); });
    }

    void end(std::size_t number, std::int64_t piece, double time_s) {
        tell(streams_[number].to, number, piece, time_s);
        tell(streams_[number].from, number, piece, time_s);
    }

    void tell(int position, std::size_t number, std::int64_t piece, double time_s) {
        Machine& machine = machines_[at(position)];
        if (!machine.ended.add({number, piece}, machine.free_s <= time_s - moment_s)) return;
        if (machine.free_s < time_s + moment_s) {
            woken_.push_back(position);
        } else {
            note(Kind::looks, at(position), machine.free_s, 0);
        }
    }

    /// Requests have their places as in RingEngine: the scatter's sends, the ring's, the scatter's receives, the
    /// ring's.
    [[nodiscard]] std::int64_t place_of(int position, const std::pair<std::size_t, std::int64_t>& ended) const {
        const auto& [number, piece] = ended;
        const bool ring = !streams_[number].needs.empty();
        constexpr std::int64_t ahead = bcast::receives_ahead;
        constexpr std::int64_t scatter = bcast::usual_scatter_window;
        if (streams_[number].from == position) return ring ? scatter + piece % window_ : piece % scatter;
        return scatter + window_ + (ring ? ahead : 0) + piece % ahead;
    }

    void look(int position, double time_s) {
        Machine& machine = machines_[at(position)];
        const auto by_place = [&](const auto& a, const auto& b) {
            return place_of(position, a) < place_of(position, b);
        };
        while (!machine.ended.is_done()) {
            if (machine.free_s >= time_s + moment_s) return note(Kind::looks, at(position), machine.free_s, 0);
            const auto [number, piece] = machine.ended.take(by_place);
            Stream& stream = streams_[number];
            if (stream.to == position) {
                const Software& software = wires_.software(position);
                work(machine, time_s, software.receive_s, software, stream.pieces[static_cast<std::size_t>(piece)]);
                count_one(stream.arrived, stream.taken, piece);
                end_s_ = std::max(end_s_, machine.free_s);
            } else {
                count_one(stream.sent, stream.seen, piece);
            }
            go_on(position, time_s);
        }
    }

    static void work(Machine& machine, double time_s, double each_s, const Software& software, std::size_t bytes) {
        machine.free_s = std::max(machine.free_s, time_s) + each_s + static_cast<double>(bytes) * software.per_byte_s;
    }

    /// RingEngine::advance.
    void go_on(int position, double time_s) {
        Machine& machine = machines_[at(position)];
        if (position > 0) {
            Stream& own = streams_[machine.scatter_in];
            while (own.may_post()) post(own, time_s);
            if (!own.over()) return;
        }
        Stream& in = streams_[machine.ring_in];
        const Stream& out = streams_[machine.ring_out];
        const bool all_sent = out.started == out.count();
        while (in.may_post() && (!in_step_ || all_sent || in.posted <= out.sent + (tuned_ ? 1 : 0))) post(in, time_s);
        send_scatter(machine, time_s);
        if (machine.next_out == machine.scatter_out.size()) send_ring(machine, time_s);
    }

    void post(Stream& stream, double time_s) {
        const std::int64_t piece = stream.posted++;
        meet(stream, piece, piece < stream.started, std::max(time_s, machines_[at(stream.to)].free_s));
    }

    void send(Machine& machine, Stream& stream, double time_s) {
        const std::int64_t piece = stream.started++;
        const Software& software = wires_.software(stream.from);
        work(machine, time_s, software.send_s, software, stream.pieces[static_cast<std::size_t>(piece)]);
        meet(stream, piece, piece < stream.posted, machine.free_s);
    }

    void meet(Stream& stream, std::int64_t piece, bool other_is_ready, double time_s) {
        double& ready_s = stream.ready_s[static_cast<std::size_t>(piece % most_open)];
        if (!other_is_ready) {
            ready_s = time_s;
            return;
        }
        const Carried carried = wires_.carried(stream.pieces[static_cast<std::size_t>(piece)]);
        const auto number = static_cast<std::size_t>(&stream - streams_.data());
        note(Kind::begins, number, std::max(ready_s, time_s) + carried.latencies * stream.latency_s,
             static_cast<std::uint32_t>(piece));
    }

    void send_scatter(Machine& machine, double time_s) {
        while (machine.next_out < machine.scatter_out.size()) {
            Stream& stream = streams_[machine.scatter_out[machine.next_out]];
            while (stream.started < stream.count() && stream.open() < bcast::usual_scatter_window) {
                send(machine, stream, time_s);
            }
            if (stream.sent < stream.count()) return;
            ++machine.next_out;
        }
    }

    void send_ring(Machine& machine, double time_s) {
        Stream& out = streams_[machine.ring_out];
        const std::int64_t come = streams_[machine.ring_in].arrived;
        while (out.started < out.count() && out.open() < window_ &&
               out.needs[static_cast<std::size_t>(out.started)] <= come) {
            send(machine, out, time_s);
        }
    }

    const Wires& wires_;
    LinksUnderWay links_;
    int positions_;
    bcast::Blocks blocks_;
    std::vector<int> held_;
    bool tuned_;
    int rounds_;
    std::size_t longest_bytes_ = 1;  // of a piece
    bcast::MostOfPieces ring_most_{};
    bool in_step_ = false;
    std::int64_t window_ = 1;
    std::vector<Machine> machines_;
    std::vector<Stream> streams_;
    std::vector<int> woken_;
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::uint32_t number_ = 0;
    double end_s_ = 0;
};

}  // namespace

double schedule_ring(const Wires& wires, const RingBroadcast& broadcast, int rounds) {
    return RingRun(wires, broadcast, rounds).run();
}

double ring_pieces(int machines, std::size_t bytes, std::size_t segment_bytes) {
    const int rounds = machines - 1 <= 2 * rounds_gone_through ? machines - 1 : 3 * rounds_gone_through;
    const double block = static_cast<double>(bytes) / machines;
    const double pieces = segment_bytes == 0 ? 1 : std::max(1.0, std::ceil(block / static_cast<double>(segment_bytes)));
    return pieces * machines * rounds;
}

double ring_broadcast_s(const Wires& wires, const RingBroadcast& broadcast) {
    const int rounds = wires.positions() - 1;
    if (rounds <= 2 * rounds_gone_through) return schedule_ring(wires, broadcast);
    const double some_s = schedule_ring(wires, broadcast, rounds_gone_through);
    const double more_s = schedule_ring(wires, broadcast, 2 * rounds_gone_through);
    return more_s + (more_s - some_s) / rounds_gone_through * (rounds - 2 * rounds_gone_through);
}

}  // namespace bcastgen
