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

// What changes less is the same, and what changes less than the other does not concern the neighbours.
constexpr double same = 1e-9;
constexpr double nearly_same = 1e-4;

}  // namespace

void SharedLinks::leave_out_slower(const std::vector<Way>& ways, double part, Way but, double fair_Bps,
                                   Left& left) const {
    for (const Way way : ways) {
        const Flow& other = flows_[way];
        if (way == but || other.rate_Bps >= fair_Bps * other.weight || other.rate_Bps == 0) continue;
        left.left_Bps -= part * other.count * other.rate_Bps;
        left.weight -= part * other.count * other.weight;
    }
}

SharedLinks::Left SharedLinks::all_of(LinkId id) const {
    Left all{1 / wires_.link(id).busy_per_byte, weight_[at(id)]};
    if (answers_ > 0) all.weight += answers_ * weight_[at(id ^ 1)];
    return all;
}

double SharedLinks::share_Bps(LinkId id, Way way, double most_Bps) const {
    const std::vector<Way>& ways = on_link_[at(id)];
    const double weight = flows_[way].weight;
    const Left all = all_of(id);
    double fair_Bps = all.left_Bps / all.weight;
    if (ways.size() == 1 && answers_ == 0) return fair_Bps * weight;
    // What others cannot use, since another link of theirs leaves them less, is there for the rest; and then what some
    // of these cannot use.
    constexpr int most_rounds = 8;
    for (int round = 0; round < most_rounds && fair_Bps * weight < most_Bps; ++round) {
        Left left = all;
        leave_out_slower(ways, 1, way, fair_Bps, left);
        if (answers_ > 0) leave_out_slower(on_link_[at(id ^ 1)], answers_, way, fair_Bps, left);
        const double before_Bps = fair_Bps;
        fair_Bps = left.left_Bps / left.weight;
        if (fair_Bps <= before_Bps * (1 + same)) break;
    }
    return fair_Bps * weight;
}

double SharedLinks::rate_Bps(Way way) const {
    const State& state = ways_[way];
    double rate_Bps = std::numeric_limits<double>::infinity();
    LinkId fullest = -1;  // it says how fast the message goes, most likely
    double least_fair_Bps = std::numeric_limits<double>::infinity();
    for (const LinkId id : state.path) {
        rate_Bps = std::min(rate_Bps, 1 / wires_.link(id).s_per_byte);
        const Left all = all_of(id);
        if (all.left_Bps >= least_fair_Bps * all.weight) continue;
        least_fair_Bps = all.left_Bps / all.weight;
        fullest = id;
    }
    const auto share = [&](LinkId id) {
        rate_Bps = std::min(rate_Bps, share_Bps(id, way, rate_Bps));
        // A link on which answers go back leaves their messages no more of itself than it leaves others.
        if (answers_ > 0) rate_Bps = std::min(rate_Bps, share_Bps(id ^ 1, way, rate_Bps));
    };
    if (fullest >= 0) share(fullest);
    for (const LinkId id : state.path) {
        if (id != fullest) share(id);
    }
    return rate_Bps;
}

void SharedLinks::go_on(Way way, double time_s) {
    State& state = ways_[way];
    state.done_bytes += (time_s - state.since_s) * flows_[way].rate_Bps;
    state.since_s = time_s;
}

void SharedLinks::see(Way way) {
    State& state = ways_[way];
    if (!state.to_see) to_see_.push_back(way);
    state.to_see = true;
}

void SharedLinks::tell(Way way) {
    State& state = ways_[way];
    if (!state.to_tell) to_tell_.push_back(way);
    state.to_tell = true;
}

void SharedLinks::see_all_on(LinkId id) {
    for (const Way way : on_link_[at(id)]) see(way);
}

void SharedLinks::see_neighbours(const State& state) {
    for (const LinkId id : state.path) {
        if (on_link_[at(id)].size() > 1 || state.messages.empty()) see_all_on(id);
        if (answers_ > 0) see_all_on(id ^ 1);
    }
}

void SharedLinks::settle(double time_s, std::vector<Ending>& endings) {
    // A rate that changes may change others', and these others' again; a few rounds come near enough to the end.
    constexpr std::size_t more_seen = 60;
    const std::size_t most_seen = 2 * to_see_.size() + more_seen;
    for (std::size_t i = 0; i < to_see_.size(); ++i) {
        const Way way = to_see_[i];
        State& state = ways_[way];
        state.to_see = false;
        if (state.messages.empty()) continue;
        const double rate = rate_Bps(way);
        const double change = std::abs(rate - flows_[way].rate_Bps);
        if (change <= same * rate) continue;
        go_on(way, time_s);
        flows_[way].rate_Bps = rate;
        tell(way);
        if (change > nearly_same * rate && i < most_seen) see_neighbours(state);
    }
    to_see_.clear();
    std::reverse(to_tell_.begin(), to_tell_.end());
    for (const Way way : to_tell_) {
        State& state = ways_[way];
        state.to_tell = false;
        if (state.messages.empty()) continue;
        double next_bytes = state.messages.front().end_bytes;
        for (const Message& message : state.messages) next_bytes = std::min(next_bytes, message.end_bytes);
        const double left_s = (next_bytes - state.done_bytes) / flows_[way].rate_Bps;
        endings.push_back({std::max(time_s, state.since_s + left_s), way, ++state.change});
    }
    to_tell_.clear();
}

void SharedLinks::begin(Way way, std::span<const LinkId> path, double bytes, std::uint32_t message, double time_s) {
    if (way >= ways_.size()) {
        ways_.resize(way + 1);
        flows_.resize(way + 1);
    }
    State& state = ways_[way];
    Flow& flow = flows_[way];
    if (state.path.empty()) {
        state.path = path;
        double penalty_s = 0;
        for (const LinkId id : path) {
            const Wires::Link& link = wires_.link(id);
            penalty_s += link.latency_s + weighed_bytes * link.busy_per_byte;
        }
        flow.weight = 1 / penalty_s;
    }
    const bool first = state.messages.empty();
    if (first) {
        state.done_bytes = flow.rate_Bps = 0;
        state.since_s = time_s;
    } else {
        go_on(way, time_s);
    }
    ++flow.count;
    for (const LinkId id : path) {
        weight_[at(id)] += flow.weight;
        if (first) on_link_[at(id)].push_back(way);
    }
    state.messages.push_back({state.done_bytes + bytes, message});
    see(way);
    tell(way);
    see_neighbours(state);
}

std::uint32_t SharedLinks::end(Way way, double time_s) {
    State& state = ways_[way];
    go_on(way, time_s);
    --flows_[way].count;
    const auto next = std::min_element(state.messages.begin(), state.messages.end(),
                                       [](const Message& a, const Message& b) { return a.end_bytes < b.end_bytes; });
    const std::uint32_t number = next->number;
    state.messages.erase(next);
    ++state.change;
    const bool last = state.messages.empty();
    for (const LinkId id : state.path) {
        weight_[at(id)] -= flows_[way].weight;
        if (!last) continue;
        std::vector<Way>& ways = on_link_[at(id)];
        ways.erase(std::find(ways.begin(), ways.end(), way));
        if (!ways.empty()) continue;
        weight_[at(id)] = 0;
    }
    if (!last) {
        see(way);
        tell(way);
    }
    see_neighbours(state);
    return number;
}

}  // namespace bcastgen
