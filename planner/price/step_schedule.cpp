#include "planner/price/step_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <queue>
#include <span>
#include <utility>

#include "base/index.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "planner/price/event_queue.hpp"
#include "planner/price/links_under_way.hpp"

namespace bcastgen {

namespace {

class StepRun {
  public:
    StepRun(const Wires& wires, const Steps& steps)
        : wires_(wires), steps_(steps), links_(wires), machines_(steps.size()) {}

    double run() {
        for (int position = 0; position < static_cast<int>(steps_.size()); ++position) begin_step(position, 0);
        const auto settle_at = [this](double time_s) { settle(time_s); };
        const auto goes_on = [](const Event& event) { return !event.begins; };
        go_through(events_, goes_on, settle_at, [this](const Event& event) { handle(event); });
        return end_s_;
    }

  private:
    struct Machine {
        std::size_t step = 0;
        int open_parts = 0;
        double free_s = 0;  // its processor
    };
    /// From one machine to another: how many sends and receives have been come to.
    struct Pair {
        double sent_s = 0;
        double received_s = 0;
        int sends = 0;
        int receives = 0;
        LinksUnderWay::Way way = 0;
        std::vector<LinkId> path;
    };
    struct Message {
        int from;
        int to;
        std::size_t bytes;
        Carried carried;
        LinksUnderWay::Way way;
        std::span<const LinkId> path;
    };
    struct Event {
        double time_s;
        std::uint32_t number;
        std::uint32_t of;
        std::uint32_t change;
        bool begins;
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
        }
    };

    void handle(const Event& event) {
        if (event.begins) {
            const Message& message = messages_[event.of];
            links_.begin(message.way, message.path, message.carried.bytes, event.of, event.time_s);
        } else if (const auto arrived = links_.go_on({event.time_s, event.of, event.change})) {
            end_message(arrived->message, event.time_s);
        }
    }

    void begin_step(int position, double time_s) {
        Machine& machine = machines_[at(position)];
        if (machine.step == steps_[at(position)].size()) {
            end_s_ = std::max(end_s_, time_s);
            return;
        }
        const Exchange& step = steps_[at(position)][machine.step];
        machine.open_parts = (step.to >= 0 ? 1 : 0) + (step.from >= 0 ? 1 : 0);
        if (machine.open_parts == 0) {
            ++machine.step;
            return begin_step(position, time_s);
        }
        if (step.to >= 0) {
            const Software& software = wires_.software(position);
            machine.free_s = std::max(machine.free_s, time_s) + software.send_s +
                             static_cast<double>(step.send_bytes) * software.per_byte_s;
            Pair& pair = pairs_[{position, step.to}];
            pair.sent_s = machine.free_s;
            if (pair.sends++ < pair.receives) start(position, step.to, step.send_bytes, pair);
        }
        if (step.from >= 0) {
            Pair& pair = pairs_[{step.from, position}];
            pair.received_s = std::max(machine.free_s, time_s);
            if (pair.receives++ < pair.sends) start(step.from, position, step.receive_bytes, pair);
        }
    }

    void start(int from, int to, std::size_t bytes, Pair& pair) {
        if (pair.path.empty()) {
            pair.path = wires_.between(from, to);
            pair.way = ways_++;
        }
        const Carried carried = wires_.carried(bytes);
        double latency_s = 0;
        for (const LinkId link : pair.path) latency_s += carried.latencies * wires_.link(link).latency_s;
        messages_.push_back({from, to, bytes, carried, pair.way, pair.path});
        events_.push({std::max(pair.sent_s, pair.received_s) + latency_s, number_++,
                      static_cast<std::uint32_t>(messages_.size() - 1), 0, true});
    }

    void settle(double time_s) {
        links_.settle(time_s, [this](const LinksUnderWay::Step& step) {
            events_.push({step.time_s, number_++, step.of, step.change, false});
        });
    }

    void end_message(std::uint32_t number, double time_s) {
        const Message message = messages_[number];
        const Software& software = wires_.software(message.to);
        Machine& receiver = machines_[at(message.to)];
        receiver.free_s = std::max(receiver.free_s, time_s) + software.receive_s +
                          static_cast<double>(message.bytes) * software.per_byte_s;
        end_part(message.to, receiver.free_s);
        end_part(message.from, time_s);
    }

    void end_part(int position, double time_s) {
        Machine& machine = machines_[at(position)];
        machine.free_s = std::max(machine.free_s, time_s);
        if (--machine.open_parts > 0) return;
        ++machine.step;
        begin_step(position, machine.free_s);
    }

    const Wires& wires_;
    const Steps& steps_;
    LinksUnderWay links_;
    std::vector<Machine> machines_;
    std::map<std::pair<int, int>, Pair> pairs_;
    std::vector<Message> messages_;
    std::priority_queue<Event, std::vector<Event>, Later> events_;
    std::uint32_t number_ = 0;
    LinksUnderWay::Way ways_ = 0;  // as many pairs have one
    double end_s_ = 0;
};

/// The bytes of blocks first to first + count - 1 of equal ones, the last of which may be short or empty.
std::size_t bytes_of(std::size_t bytes, std::size_t blocks, std::size_t first, std::size_t count) {
    const std::size_t each = (bytes + blocks - 1) / blocks;
    return std::min(bytes, (first + count) * each) - std::min(bytes, first * each);
}

}  // namespace

double schedule_steps(const Wires& wires, const Steps& steps) {
    return StepRun(wires, steps).run();
}

Steps scatter_steps(const bcast::Tree& scatter, std::size_t bytes) {
    const std::vector<int> held = bcast::blocks_held(scatter);
    const std::size_t machines = held.size();
    const auto of = [&](int position) { return bytes_of(bytes, machines, at(position), at(held[at(position)])); };
    Steps steps(machines);
    for (int position = 0; position < static_cast<int>(machines); ++position) {
        if (position > 0) steps[at(position)].push_back({-1, 0, scatter.parent[at(position)], of(position)});
        for (const int child : scatter.children[at(position)]) steps[at(position)].push_back({child, of(child), -1, 0});
    }
    return steps;
}

void add_ring(Steps& steps, std::size_t bytes, int rounds) {
    const auto machines = static_cast<int>(steps.size());
    for (int position = 0; position < machines; ++position) {
        const int right = (position + 1) % machines;
        const int left = (position + machines - 1) % machines;
        for (int round = 0; round < rounds; ++round) {
            const int sent = (position - round + machines) % machines;
            const int received = (left - round + machines) % machines;
            steps[at(position)].push_back({right, bytes_of(bytes, at(machines), at(sent), 1), left,
                                           bytes_of(bytes, at(machines), at(received), 1)});
        }
    }
}

void add_doubling(Steps& steps, std::size_t bytes) {
    const auto machines = static_cast<int>(steps.size());
    for (int position = 0; position < machines; ++position) {
        for (int distance = 1; distance < machines; distance *= 2) {
            const int other = position ^ distance;
            const auto held = [&](int of) {
                return bytes_of(bytes, at(machines), at(of / distance * distance), at(distance));
            };
            steps[at(position)].push_back({other, held(position), other, held(other)});
        }
    }
}

}  // namespace bcastgen
