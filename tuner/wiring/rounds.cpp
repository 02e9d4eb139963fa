#include "tuner/wiring/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/index.hpp"
#include "bcast/trees/order.hpp"
#include "planner/network/switch_depths.hpp"
#include "tuner/wiring/fair_rates.hpp"

namespace bcastgen {

namespace {

constexpr int most_widths = 3;        // that shifts are chosen for
constexpr int streams_per_cable = 4;  // where each stream keeps to one cable, chosen by chance
constexpr int most_filling_streams = 64;
constexpr double overfilling = 1.5;

/// How many ports each trunk is wide, not rounded.
std::vector<double> widths_of(const Network& network, const std::vector<int>& machines) {
    const Capacities capacities = described_capacities(network);
    const double port_Bps = usual_port_Bps(network, machines);
    std::vector<double> widths;
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const LinkId link = trunk_link(network, static_cast<int>(t), true);
        widths.push_back(capacities.link_Bps[at(link)] / port_Bps);
    }
    return widths;
}

/// The distances k at which machines send, each more than once, since machines change places.
std::vector<int> shifts(const Network& network, const std::vector<int>& machines) {
    const int most = std::max(1, static_cast<int>(machines.size()) / 2);
    std::map<int, int> trunks;  // by width
    std::set<int> extra;
    const std::vector<double> widths = widths_of(network, machines);
    for (std::size_t t = 0; t < widths.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (!trunk.in_tree) continue;
        const double width = std::clamp(widths[t], 1.0, double{1 << 20});
        ++trunks[static_cast<int>(std::ceil(width - 0.01))];
        if (trunk.cables > 1) extra.insert(std::min(most, streams_per_cable * static_cast<int>(std::ceil(width))));
    }
    std::vector<std::pair<int, int>> common(trunks.begin(), trunks.end());
    std::stable_sort(common.begin(), common.end(), [](auto& a, auto& b) { return a.second > b.second; });
    if (common.size() > most_widths) common.resize(most_widths);
    std::vector<int> all{1, 1, 1};
    for (const auto& [width, count] : common) {
        for (const int k : {width, width + 1, 2 * width}) all.push_back(std::min(k, most));
    }
    if (!extra.empty()) all.insert(all.end(), {*extra.begin(), *extra.rbegin()});
    return all;
}

}  // namespace

double usual_port_Bps(const Network& network, const std::vector<int>& machines) {
    std::map<double, int> counts;
    for (const int machine : machines) ++counts[network.machines[at(machine)].port.bandwidth_Bps];
    return std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

std::vector<int> shuffled_order(const Network& network, const std::vector<int>& machines, std::mt19937& random) {
    std::vector<int> order = bcast::depth_first_order(layout_of(network), machines, machines.front()).machines;
    auto first = order.begin();
    while (first != order.end()) {
        const int sw = network.machines[at(*first)].sw;
        const auto last = std::find_if(first, order.end(), [&](int m) { return network.machines[at(m)].sw != sw; });
        std::shuffle(first, last, random);
        first = last;
    }
    return order;
}

Round shift_round(const std::vector<int>& order, int k) {
    Round round;
    for (std::size_t i = 0; i < order.size(); ++i) {
        round.streams.push_back({order[i], order[(i + at(k)) % order.size()]});
    }
    return round;
}

Round neighbour_round(const std::vector<int>& order, int first, Asked asked) {
    Round round{asked, {}};
    for (std::size_t i = at(first); i + 1 < order.size(); i += 2) round.streams.push_back({order[i], order[i + 1]});
    return round;
}

Round opposite_round(const std::vector<int>& order) {
    Round round{Asked::round_trips, {}};
    const std::size_t half = order.size() / 2;
    for (std::size_t i = 0; i < half; ++i) round.streams.push_back({order[i], order[i + half]});
    return round;
}

std::vector<Round> first_rounds(const Network& network, const std::vector<int>& machines, std::mt19937& random) {
    std::vector<Round> rounds;
    for (const bool again : {false, true}) {
        const std::vector<int> order = shuffled_order(network, machines, random);
        rounds.push_back(neighbour_round(order, 0, Asked::round_trips));
        rounds.push_back(neighbour_round(order, 1, Asked::round_trips));
        rounds.push_back(again ? opposite_round(order)
                               : neighbour_round(shuffled_order(network, machines, random), 0, Asked::round_trips));
        rounds.push_back(neighbour_round(order, 0, Asked::rates));
    }
    std::erase_if(rounds, [](const Round& round) { return round.streams.empty(); });
    for (const int k : shifts(network, machines)) {
        rounds.push_back(shift_round(shuffled_order(network, machines, random), k));
    }
    return rounds;
}

std::vector<char> side_of_a(const Network& network, int trunk) {
    Network cut = network;
    cut.trunks[at(trunk)].in_tree = false;
    const std::vector<int> depths = switch_depths(cut, network.trunks[at(trunk)].a);
    std::vector<char> side;
    for (const Machine& machine : network.machines) side.push_back(depths[at(machine.sw)] >= 0 ? 1 : 0);
    return side;
}

Round filling_round(const Network& network, const std::vector<int>& machines, int trunk, bool from_a,
                    const std::vector<int>& busy) {
    const std::vector<char> side = side_of_a(network, trunk);
    const Trunk& filled = network.trunks[at(trunk)];
    std::vector<int> ends[2];  // machines on the side of b, of a
    for (const bool a : {false, true}) {
        const std::vector<int> depths = switch_depths(network, a ? filled.a : filled.b);
        for (const int machine : machines) {
            const bool is_busy = std::find(busy.begin(), busy.end(), machine) != busy.end();
            if (!is_busy && (side[at(machine)] != 0) == a) ends[a ? 1 : 0].push_back(machine);
        }
        std::stable_sort(ends[a ? 1 : 0].begin(), ends[a ? 1 : 0].end(), [&](int m, int n) {
            return depths[at(network.machines[at(m)].sw)] < depths[at(network.machines[at(n)].sw)];
        });
    }
    const double width = widths_of(network, machines)[at(trunk)];
    const double wanted = filled.cables > 1 ? streams_per_cable * width : overfilling * width + 1;
    const std::size_t count = std::min(
        {ends[0].size(), ends[1].size(), static_cast<std::size_t>(std::min<double>(wanted, most_filling_streams))});
    Round round;
    for (std::size_t i = 0; i < count; ++i) {
        round.streams.push_back({ends[from_a ? 1 : 0][i], ends[from_a ? 0 : 1][i]});
    }
    return round;
}

Round spread_round(const Network& network, const std::vector<int>& machines, int machine, bool sends,
                   const std::vector<int>& busy, const Capacities& capacities) {
    std::vector<int> others = machines;
    std::erase(others, machine);
    std::stable_partition(others.begin(), others.end(),
                          [&](int other) { return std::find(busy.begin(), busy.end(), other) == busy.end(); });
    const double wanted_Bps = overfilling * network.machines[at(machine)].port.bandwidth_Bps;
    double sum_Bps = 0;
    Round round;
    for (const int other : others) {
        if (sum_Bps >= wanted_Bps || round.streams.size() == most_filling_streams) break;
        round.streams.push_back(sends ? Stream{machine, other} : Stream{other, machine});
        sum_Bps += capacities.link_Bps[at(sends ? port_in(other) : port_out(other))];
    }
    return round;
}

Round crossing_round(const Network& network, const std::vector<int>& machines, int trunk, bool from_a,
                     CrossingOrder sequence) {
    const std::vector<char> side = side_of_a(network, trunk);
    const Trunk& crossed = network.trunks[at(trunk)];
    const std::vector<int> depths[2] = {switch_depths(network, crossed.b), switch_depths(network, crossed.a)};
    const int switches = static_cast<int>(network.switches.size());
    const auto bandwidth_Bps = [&](int machine) { return network.machines[at(machine)].port.bandwidth_Bps; };
    std::vector<int> fastest_first = machines;
    std::stable_sort(fastest_first.begin(), fastest_first.end(),
                     [&](int a, int b) { return bandwidth_Bps(a) > bandwidth_Bps(b); });
    using Turn = std::tuple<double, int, int>;  // the least ones send first
    std::vector<std::pair<Turn, int>> ends[2];  // with the machine: on the side of b, of a
    std::vector<int> taken(network.switches.size(), 0);
    for (const int machine : fastest_first) {
        const int sw = network.machines[at(machine)].sw;
        const int end = side[at(machine)] != 0 ? 1 : 0;
        // Of switches as near each trunk has another that is the first, so that several trunks can be asked at once.
        const int after = (sw - (end == 1 ? crossed.b : crossed.a) + switches) % switches;
        const Turn turn = sequence == CrossingOrder::near_first
                              ? Turn(-bandwidth_Bps(machine), depths[end][at(sw)], after)
                              : Turn(0, taken[at(sw)]++, after);
        ends[end].emplace_back(turn, machine);
    }
    for (auto& turns : ends) std::stable_sort(turns.begin(), turns.end());
    Round round;
    for (std::size_t i = 0; i < std::min(ends[0].size(), ends[1].size()); ++i) {
        round.streams.push_back({ends[from_a ? 1 : 0][i].second, ends[from_a ? 0 : 1][i].second});
    }
    return round;
}

}  // namespace bcastgen
