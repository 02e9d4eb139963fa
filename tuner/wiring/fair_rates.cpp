#include "tuner/wiring/fair_rates.hpp"

#include <algorithm>
#include <limits>

#include "base/index.hpp"

namespace bcastgen {

namespace {

constexpr double as_good_as_full = 1 + 1e-9;

/// A link that streams cross.
struct SharedCable {
    double left_Bps = 0;
    std::vector<int> streams;
    int rising = 0;  ///< streams whose rate is not settled

    [[nodiscard]] double share_Bps() const { return std::max(left_Bps, 0.0) / rising; }
};

/// By stream: those that hand on what it brings.
std::vector<std::vector<int>> fed_streams(std::size_t streams, const std::vector<int>& fed_by) {
    std::vector<std::vector<int>> fed(streams);
    for (std::size_t i = 0; i < fed_by.size(); ++i) {
        if (fed_by[i] >= 0) fed[at(fed_by[i])].push_back(static_cast<int>(i));
    }
    return fed;
}

}  // namespace

Capacities described_capacities(const Network& network) {
    Capacities capacities;
    const int machines = static_cast<int>(network.machines.size());
    for (LinkId link = 0; link < link_count(network); ++link) {
        const double cable_Bps = link_bandwidth_Bps(network, link);
        const bool is_port = link < 2 * machines;
        const int cables = is_port ? 1 : network.trunks[at(link / 2 - machines)].cables;
        capacities.link_Bps.push_back(cables * cable_Bps);
        capacities.stream_Bps.push_back(cable_Bps);
    }
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (trunk.bounded_by < 0 || trunk.bounded_by == static_cast<int>(t)) continue;
        for (const bool from_a : {true, false}) {
            capacities.link_Bps[at(trunk_link(network, trunk.bounded_by, from_a))] +=
                trunk.cables * trunk.speed.bandwidth_Bps;
        }
    }
    return capacities;
}

std::vector<double> fair_rates(const Capacities& capacities, const std::vector<std::vector<LinkId>>& paths,
                               const std::vector<int>& fed_by) {
    std::vector<SharedCable> cables(capacities.link_Bps.size());
    std::vector<LinkId> used;
    std::vector<double> bound_Bps(paths.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < paths.size(); ++i) {
        for (const LinkId link : paths[i]) {
            SharedCable& cable = cables[at(link)];
            if (cable.streams.empty()) {
                cable.left_Bps = capacities.link_Bps[at(link)];
                used.push_back(link);
            }
            cable.streams.push_back(static_cast<int>(i));
            ++cable.rising;
            bound_Bps[i] = std::min(bound_Bps[i], capacities.stream_Bps[at(link)]);
        }
    }
    std::vector<double> rates(paths.size(), -1);
    const std::vector<std::vector<int>> fed = fed_streams(paths.size(), fed_by);
    // All rise together, so those that hand on what comes no faster have the same rate by then, or a lower one.
    const auto settle = [&](std::size_t first, double rate_Bps) {
        std::vector<std::size_t> settled{first};
        rates[first] = rate_Bps;
        while (!settled.empty()) {
            const std::size_t stream = settled.back();
            settled.pop_back();
            for (const LinkId link : paths[stream]) {
                cables[at(link)].left_Bps -= rate_Bps;
                --cables[at(link)].rising;
            }
            for (const int next : fed[stream]) {
                if (rates[at(next)] >= 0) continue;
                rates[at(next)] = rate_Bps;
                settled.push_back(at(next));
            }
        }
    };
    std::vector<std::size_t> by_bound(paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) by_bound[i] = i;
    std::sort(by_bound.begin(), by_bound.end(), [&](auto a, auto b) { return bound_Bps[a] < bound_Bps[b]; });
    std::size_t bounded = 0;
    while (true) {
        std::erase_if(used, [&](LinkId link) { return cables[at(link)].rising == 0; });
        if (used.empty()) return rates;
        double next_Bps = std::numeric_limits<double>::infinity();
        for (const LinkId link : used) next_Bps = std::min(next_Bps, cables[at(link)].share_Bps());
        while (bounded < by_bound.size() && rates[by_bound[bounded]] >= 0) ++bounded;
        if (bounded < by_bound.size() && bound_Bps[by_bound[bounded]] <= next_Bps * as_good_as_full) {
            settle(by_bound[bounded], bound_Bps[by_bound[bounded]]);
            continue;
        }
        std::vector<LinkId> full;
        for (const LinkId link : used) {
            if (cables[at(link)].share_Bps() <= next_Bps * as_good_as_full) full.push_back(link);
        }
        for (const LinkId link : full) {
            for (const int stream : cables[at(link)].streams) {
                if (rates[at(stream)] < 0) settle(at(stream), next_Bps);
            }
        }
    }
}

}  // namespace bcastgen
