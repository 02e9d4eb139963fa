#include "planner/price/floor.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "base/index.hpp"
#include "planner/network/paths.hpp"

namespace bcastgen {

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

BestMachine best_of(const Network& network, const MessageCosts& costs, const std::vector<int>& machines,
                    const Carried& least) {
    BestMachine best{none, none, none, none, costs.envelope_bytes};
    double send_s = none;
    double receive_s = none;
    double port_s = none;  // latency
    for (const int number : machines) {
        const Machine& machine = network.machines[at(number)];
        const Software& software = costs.software[at(number)];
        send_s = std::min(send_s, software.send_s);
        receive_s = std::min(receive_s, software.receive_s);
        port_s = std::min(port_s, least.latencies * machine.port.latency_s);
        best.s_per_byte = std::min(best.s_per_byte, least.bytes / machine.port.bandwidth_Bps);
        best.work_s_per_byte = std::min(best.work_s_per_byte, software.per_byte_s);
    }
    best.gap_s = send_s;
    best.on_the_way_s = send_s + 2 * port_s + receive_s;
    return best;
}

/// By trunk: all that it stands for together, and the least latency of those.
std::vector<LinkSpeed> capacities(const Network& network) {
    std::vector<LinkSpeed> capacities;
    for (const Trunk& trunk : network.trunks) {
        capacities.push_back({trunk.speed.bandwidth_Bps * trunk.cables, trunk.speed.latency_s});
    }
    for (std::size_t number = 0; number < network.trunks.size(); ++number) {
        const Trunk& trunk = network.trunks[number];
        if (trunk.bounded_by < 0 || at(trunk.bounded_by) == number) continue;
        LinkSpeed& all = capacities[at(trunk.bounded_by)];
        all.bandwidth_Bps += trunk.speed.bandwidth_Bps * trunk.cables;
        all.latency_s = std::min(all.latency_s, trunk.speed.latency_s);
    }
    return capacities;
}

/// The links that the message crosses into every set of machines behind one link: the longest that one of them takes.
double cut_floor_s(const Network& network, const MessageCosts& costs, const std::vector<int>& machines, int root,
                   std::size_t bytes) {
    const Paths paths(network);
    const std::vector<LinkSpeed> trunks = capacities(network);
    const Carried least = least_carried(costs, bytes);
    const double carried_bytes = least.bytes * (static_cast<double>(bytes) + costs.envelope_bytes);
    const int first_trunk = 2 * static_cast<int>(network.machines.size());
    double longest_s = 0;
    for (const int machine : machines) {
        if (machine == root) continue;
        double latency_s = 0;
        double slowest_s = 0;
        for (const LinkId link : paths.between(root, machine)) {
            const bool port = link < first_trunk;
            const LinkSpeed& speed = port ? network.machines[at(link / 2)].port : trunks[at((link - first_trunk) / 2)];
            latency_s += least.latencies * speed.latency_s;
            slowest_s = std::max(slowest_s, carried_bytes / speed.bandwidth_Bps);
        }
        const double software_s = costs.software[at(root)].send_s + costs.software[at(machine)].receive_s;
        longest_s = std::max(longest_s, software_s + latency_s + slowest_s);
    }
    return longest_s;
}

}  // namespace

double one_port_floor_s(const BestMachine& best, int machines, std::size_t segments, double segment_bytes) {
    const double wire_s = (segment_bytes + best.envelope_bytes) * best.s_per_byte;
    const double work_s = segment_bytes * best.work_s_per_byte;
    const double gap_s = std::max(wire_s, best.gap_s + work_s);
    const double there_s = best.on_the_way_s + wire_s + 2 * work_s;
    // Holders send once a gap, whoever they are: count machines by when they can begin.
    struct Begin {
        double time_s;
        double holders;
    };
    std::deque<Begin> begins{{0.0, 1.0}};
    double reached = 1;
    double last_s = 0;
    // By the time that the sends of one gap have arrived, every holder has made one. Those of equal times go together.
    while (reached < machines) {
        const Begin next = begins.front();
        begins.pop_front();
        const auto add = [&](double time_s, double holders) {
            const auto place = std::find_if(begins.begin(), begins.end(),
                                            [&](const Begin& begin) { return begin.time_s >= time_s - 1e-15; });
            if (place != begins.end() && place->time_s <= time_s + 1e-15) {
                place->holders += holders;
            } else {
                begins.insert(place, {time_s, holders});
            }
        };
        reached += next.holders;
        last_s = next.time_s + there_s;
        add(next.time_s + gap_s, next.holders);
        add(next.time_s + there_s, next.holders);
    }
    return static_cast<double>(segments - 1) * gap_s + last_s;
}

double floor_s(const Network& network, const MessageCosts& costs, const std::vector<int>& machines, int root,
               std::size_t bytes) {
    if (machines.size() < 2) return 0;
    const BestMachine best = best_of(network, costs, machines, least_carried(costs, bytes));
    const auto of = [&](std::size_t segments) {
        return one_port_floor_s(best, static_cast<int>(machines.size()), segments,
                                static_cast<double>(bytes) / static_cast<double>(segments));
    };
    // Falls and then rises with the number of segments, but for steps of the tree: neighbours decide nothing.
    double least_s = of(1);
    constexpr double finer = 1.1;
    for (double segments = 2; segments <= static_cast<double>(bytes); segments = std::ceil(segments * finer)) {
        const double now_s = of(static_cast<std::size_t>(segments));
        least_s = std::min(least_s, now_s);
        if (now_s > 2 * least_s) break;
    }
    return std::max(least_s, cut_floor_s(network, costs, machines, root, bytes));
}

}  // namespace bcastgen
