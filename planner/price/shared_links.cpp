#include "planner/price/shared_links.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/index.hpp"

namespace bcastgen {

namespace {

/// SimGrid gives a message the less of a shared link, the longer its way: a latency, and so many bytes' time on each
/// link.
constexpr double weighed_bytes = 8775;

}  // namespace

double SharedLinks::rate_Bps(const State& state) const {
    double rate_Bps = std::numeric_limits<double>::infinity();
    for (const LinkId id : state.path) {
        const Wires::Link& link = wires_.link(id);
        double all_Bps = 1 / link.busy_per_byte;
        if (!on_link_[at(id ^ 1)].empty()) all_Bps /= 1 + wires_.answers();  // the other way of the same cable
        rate_Bps = std::min({rate_Bps, 1 / link.s_per_byte, all_Bps * state.weight / weight_[at(id)]});
    }
    return rate_Bps;
}

void SharedLinks::change(Flow flow, double time_s, std::vector<Ending>& endings) {
    State& state = flows_[flow];
    const double rate = rate_Bps(state);
    if (rate == state.rate_Bps) return;
    state.left_bytes = std::max(0.0, state.left_bytes - (time_s - state.since_s) * state.rate_Bps);
    state.since_s = time_s;
    state.rate_Bps = rate;
    endings.push_back({time_s + state.left_bytes / rate, flow, ++state.change});
}

void SharedLinks::change_others(Flow flow, double time_s, std::vector<Ending>& endings) {
    const bool back = wires_.answers() > 0;
    for (const LinkId id : flows_[flow].path) {
        for (const Flow other : on_link_[at(id)]) change(other, time_s, endings);
        if (!back) continue;
        for (const Flow other : on_link_[at(id ^ 1)]) change(other, time_s, endings);
    }
}

void SharedLinks::enter(Flow flow, double time_s, std::vector<Ending>& endings) {
    State& state = flows_[flow];
    state.since_s = time_s;
    for (const LinkId id : state.path) {
        on_link_[at(id)].push_back(flow);
        weight_[at(id)] += state.weight;
    }
    change_others(flow, time_s, endings);
}

void SharedLinks::begin(std::span<const LinkId> path, double bytes, std::uint32_t owner, double time_s,
                        std::vector<Ending>& endings) {
    Flow flow = static_cast<Flow>(flows_.size());
    if (unused_.empty()) {
        flows_.emplace_back();
    } else {
        flow = unused_.back();
        unused_.pop_back();
    }
    State& state = flows_[flow];
    double penalty_s = 0;
    for (const LinkId id : path) {
        const Wires::Link& link = wires_.link(id);
        penalty_s += link.latency_s + weighed_bytes * link.busy_per_byte;
    }
    state = {path, bytes, 0, time_s, 1 / penalty_s, owner, state.change + 1};
    if (wires_.port_in_turn() && !on_link_[at(path.front())].empty()) {
        waiting_[at(path.front())].push_back(flow);
    } else {
        enter(flow, time_s, endings);
    }
}

std::uint32_t SharedLinks::end(Flow flow, double time_s, std::vector<Ending>& endings) {
    State& state = flows_[flow];
    ++state.change;
    for (const LinkId id : state.path) {
        std::vector<Flow>& flows = on_link_[at(id)];
        flows.erase(std::find(flows.begin(), flows.end(), flow));
        weight_[at(id)] = flows.empty() ? 0 : weight_[at(id)] - state.weight;
    }
    std::deque<Flow>& waiting = waiting_[at(state.path.front())];
    if (!waiting.empty()) {
        const Flow next = waiting.front();
        waiting.pop_front();
        enter(next, time_s, endings);
    }
    change_others(flow, time_s, endings);
    unused_.push_back(flow);
    return state.owner;
}

}  // namespace bcastgen
