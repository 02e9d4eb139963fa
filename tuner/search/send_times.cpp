#include "tuner/search/send_times.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr int most_machines = 17;
constexpr int sending_repetitions = 25;  // where they differ
const MeasureCase ping_pong_case{measured::ping_pong, 0, 1};
const MeasureCase at_once_case{measured::sends_at_once, 0, 1};
const MeasureCase in_turn_case{measured::sends_in_turn, 0, 1};
const MeasureCase gathered_case{measured::receives_at_once, 0, 1};

/// From the first machine to the farthest other one on its switch.
double cables_us(const Network& network, const std::vector<int>& machines) {
    const auto port_s = [&](int machine) { return network.machines[static_cast<std::size_t>(machine)].port.latency_s; };
    double farthest_s = 0;
    for (std::size_t m = 1; m < machines.size(); ++m) farthest_s = std::max(farthest_s, port_s(machines[m]));
    return 1e6 * (port_s(machines.front()) + farthest_s);
}

std::int64_t nanoseconds(double us) {
    return std::max<std::int64_t>(1, std::llround(1e3 * us));
}

}  // namespace

Placement send_times_machines(const Network& network, const std::vector<int>& machines, int root) {
    const auto switch_of = [&](int machine) { return network.machines[static_cast<std::size_t>(machine)].sw; };
    Placement placement{send_times_placement, {root}};
    for (const int machine : machines) {
        if (machine == root || switch_of(machine) != switch_of(root)) continue;
        if (placement.machines.size() < most_machines) placement.machines.push_back(machine);
    }
    if (placement.machines.size() < 3) placement.machines.clear();
    return placement;
}

MeasuredSends sends_of(const SmallMessageTimes& times) {
    // The first message of a row arrives when a ping does; each further one is a send's or a receive's time later.
    const double further = times.machines - 2;
    const auto sends = [&](double ping_pong_us, double at_once_us, double in_turn_us, double gathered_us) {
        const double overhead_us = (at_once_us - ping_pong_us) / further;
        // On a busy host the processors of all machines together may seem to take longer than the whole way: cables
        // take what they are said to, or half.
        const double way_us = ping_pong_us - overhead_us;
        const double receive_us =
            std::min((gathered_us - ping_pong_us) / further, std::max(way_us / 2, way_us - times.cables_us));
        return bcast::SendTimes{nanoseconds(overhead_us), nanoseconds(ping_pong_us - overhead_us - receive_us),
                                nanoseconds((in_turn_us - at_once_us) / further), nanoseconds(receive_us)};
    };
    MeasuredSends found{
        sends(times.ping_pong.median, times.at_once.median, times.in_turn.median, times.gathered.median), std::nullopt};
    const auto scatters = [](const Estimate& time) { return time.low < time.high && std::isfinite(time.high); };
    for (const Estimate& time : {times.ping_pong, times.at_once, times.in_turn, times.gathered}) {
        if (!scatters(time)) return found;
    }
    bcast::SendTimes of_low = sends(times.ping_pong.high, times.at_once.low, times.in_turn.low, times.gathered.low);
    bcast::SendTimes of_high = sends(times.ping_pong.low, times.at_once.high, times.in_turn.high, times.gathered.high);
    of_low.answer_ns = nanoseconds((times.in_turn.low - times.at_once.high) / further);
    of_high.answer_ns = nanoseconds((times.in_turn.high - times.at_once.low) / further);
    SendBounds bounds;
    // Latency is what is left: the shorter, the longer all else.
    for (const auto time : {&bcast::SendTimes::overhead_ns, &bcast::SendTimes::latency_ns, &bcast::SendTimes::answer_ns,
                            &bcast::SendTimes::receive_ns}) {
        bounds.least.*time = std::min({of_low.*time, of_high.*time, found.times.*time});
        bounds.most.*time = std::max({of_low.*time, of_high.*time, found.times.*time});
    }
    found.bounds = bounds;
    return found;
}

std::optional<MeasuredSends> measure_send_times(const Measuring& measuring, Ledger& ledger, const Placement& placement,
                                                Clock::time_point deadline) {
    if (placement.machines.empty()) return std::nullopt;
    const auto machines = static_cast<int>(placement.machines.size());
    JobSampler sampler(measuring, ledger, {machines, 1, "balanced"}, placement, false, deadline);
    const std::vector<MeasureCase> cases{ping_pong_case, at_once_case, in_turn_case, gathered_case};
    sampler.take(cases, measuring.exact ? 1 : sending_repetitions);
    const auto is_measured = [&](const MeasureCase& one) { return sampler.cost_us(one).samples > 0; };
    if (!std::all_of(cases.begin(), cases.end(), is_measured)) return std::nullopt;
    return sends_of({sampler.cost_us(ping_pong_case), sampler.cost_us(at_once_case), sampler.cost_us(in_turn_case),
                     sampler.cost_us(gathered_case), machines, cables_us(measuring.network, placement.machines)});
}

}  // namespace bcastgen
