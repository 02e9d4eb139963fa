#include "planner/price/shared_links.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "base/index.hpp"

namespace bcastgen {

namespace {

/// SimGrid gives a message the less of a shared link, the longer its way: a latency, and so many bytes' time on each
/// link.
constexpr double weighed_bytes = 8775;

}  // namespace

double SharedLinks::share_Bps(LinkId id, Flow flow) const {
    const Wires::Link& link = wires_.link(id);
    double left_Bps = 1 / link.busy_per_byte;
    if (!on_link_[at(id ^ 1)].empty()) left_Bps /= 1 + wires_.answers();  // the other way of the same cable
    double weight = weight_[at(id)];
    const double fair_Bps = left_Bps / weight;
    // What others cannot use, since another link of theirs leaves them less, is there for the rest.
    for (const Flow other : on_link_[at(id)]) {
        const State& state = flows_[other];
        if (other == flow || state.rate_Bps >= fair_Bps * state.weight || state.rate_Bps == 0) continue;
        left_Bps -= state.rate_Bps;
        weight -= state.weight;
    }
    return std::min(1 / link.s_per_byte, left_Bps * flows_[flow].weight / weight);
}

double SharedLinks::rate_Bps(Flow flow) const {
    double rate_Bps = std::numeric_limits<double>::infinity();
    for (const LinkId id : flows_[flow].path) rate_Bps = std::min(rate_Bps, share_Bps(id, flow));
    return rate_Bps;
}

bool SharedLinks::change(Flow flow, double time_s) {
    constexpr double same = 1e-9;
    State& state = flows_[flow];
    const double rate = rate_Bps(flow);
    if (std::abs(rate - state.rate_Bps) <= same * rate) return false;
    state.left_bytes = std::max(0.0, state.left_bytes - (time_s - state.since_s) * state.rate_Bps);
    state.since_s = time_s;
    state.rate_Bps = rate;
    if (!state.changed) changed_.push_back(flow);
    state.changed = true;
    return true;
}

void SharedLinks::note_neighbours(Flow flow) {
    const bool back = wires_.answers() > 0;
    for (const LinkId id : flows_[flow].path) {
        const std::vector<Flow>& along = on_link_[at(id)];
        to_see_.insert(to_see_.end(), along.begin(), along.end());
        if (!back) continue;
        const std::vector<Flow>& against = on_link_[at(id ^ 1)];
        to_see_.insert(to_see_.end(), against.begin(), against.end());
    }
}

void SharedLinks::settle(double time_s, std::vector<Ending>& endings) {
    // A rate that changes may change others', and these others' again; a few rounds come near enough to the end.
    constexpr std::size_t most_seen = 60;
    for (std::size_t i = 0; i < to_see_.size(); ++i) {
        const Flow flow = to_see_[i];
        if (change(flow, time_s) && i < most_seen) note_neighbours(flow);
    }
    to_see_.clear();
    for (const Flow flow : changed_) {
        State& state = flows_[flow];
        state.changed = false;
        endings.push_back({time_s + state.left_bytes / state.rate_Bps, flow, ++state.change});
    }
    changed_.clear();
}

void SharedLinks::enter(Flow flow, double time_s) {
    State& state = flows_[flow];
    state.since_s = time_s;
    for (const LinkId id : state.path) {
        on_link_[at(id)].push_back(flow);
        weight_[at(id)] += state.weight;
    }
    to_see_.push_back(flow);
    note_neighbours(flow);
}

void SharedLinks::begin(std::span<const LinkId> path, double bytes, Owner owner, double time_s,
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
    state = {path, bytes, 0, time_s, 1 / penalty_s, owner, state.change + 1, false};
    if (wires_.port_in_turn() && !on_link_[at(path.front())].empty()) {
        waiting_[at(path.front())].push_back(flow);
    } else {
        enter(flow, time_s);
        settle(time_s, endings);
    }
}

SharedLinks::Owner SharedLinks::end(Flow flow, double time_s, std::vector<Ending>& endings) {
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
        enter(next, time_s);
    }
    note_neighbours(flow);
    settle(time_s, endings);
    unused_.push_back(flow);
    return state.owner;
}

}  // namespace bcastgen
