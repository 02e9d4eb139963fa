#include "tuner/search/send_times.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr int most_machines = 17;
constexpr int sending_repetitions = 25;  // where they differ
const MeasureCase ping_pong_case{measured::ping_pong, 0, 1};
const MeasureCase at_once{measured::sends_at_once, 0, 1};
const MeasureCase in_turn{measured::sends_in_turn, 0, 1};

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

SendTimes send_times_of(double ping_pong_us, double at_once_us, double in_turn_us, int machines) {
    // The first send of either arrives when a ping does; each further one is a send's time later.
    const double further = machines - 2;
    const double overhead_us = (at_once_us - ping_pong_us) / further;
    const double turn_us = (in_turn_us - ping_pong_us) / further;
    return {nanoseconds(overhead_us), nanoseconds(ping_pong_us - overhead_us), nanoseconds(turn_us - overhead_us)};
}

SendTimes measure_send_times(const Measuring& measuring, Ledger& ledger, const Placement& placement,
                             Clock::time_point deadline) {
    if (placement.machines.empty()) return {};
    const auto machines = static_cast<int>(placement.machines.size());
    JobSampler sampler(measuring, ledger, {machines, 1, "balanced"}, placement, false, deadline);
    const std::vector<MeasureCase> cases{ping_pong_case, at_once, in_turn};
    sampler.take(cases, measuring.exact ? 1 : sending_repetitions);
    const auto is_measured = [&](const MeasureCase& one) { return sampler.cost_us(one).samples > 0; };
    if (!std::all_of(cases.begin(), cases.end(), is_measured)) return {};
    return send_times_of(sampler.cost_us(ping_pong_case).median, sampler.cost_us(at_once).median,
                         sampler.cost_us(in_turn).median, machines);
}

}  // namespace bcastgen
