#include "planner/price/wires.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bcast/trees/tcp_messages.hpp"

namespace bcastgen {

namespace {

constexpr double acknowledgements = 0.05;  // of what goes one way, back the other way

// Of a full frame: what it carries, and what is put around that: headers of TCP (with time stamps), IP and Ethernet,
// checksum, preamble, gap.
constexpr double frame_payload_bytes = 1448;
constexpr double frame_overhead_bytes = 90;

}  // namespace

MessageCosts message_costs(const Network& network) {
    const std::vector<Machine>& machines = network.machines;
    const bool slow = !machines.empty() && std::all_of(machines.begin(), machines.end(), [](const Machine& machine) {
        return machine.port.bandwidth_Bps <= gigabit_Bps;
    });
    MessageCosts costs{{}, bcast::envelope_bytes, slow ? Framing::sockets : Framing::none, !slow};
    for (const Machine& machine : machines) {
        // Of slow ports plans count less than sockets take.
        costs.software.push_back(slow ? machine.software.value_or(usual_software(fastest_tcp_Bps))
                                      : software_of(machine));
    }
    return costs;
}

MessageCosts simulated_costs(const Network& network) {
    MessageCosts costs = message_costs(network);
    if (costs.framing == Framing::none) return costs;
    costs.framing = Framing::simulated;  // which has what software takes in it
    costs.software.assign(network.machines.size(), Software{});
    return costs;
}

Carried carried_by(const MessageCosts& costs, std::size_t bytes) {
    const double all = static_cast<double>(bytes) + costs.envelope_bytes;
    if (costs.framing == Framing::none) return {all, 1};
    if (costs.framing == Framing::sockets) {
        return {all + std::ceil(all / frame_payload_bytes) * frame_overhead_bytes, 1};
    }
    const bcast::TcpFactor& factor = bcast::tcp_factor(all);
    return {all / factor.bandwidth, factor.latency};
}

Carried least_carried(const MessageCosts& costs, std::size_t bytes) {
    if (costs.framing == Framing::none) return {1, 1};
    if (costs.framing == Framing::sockets) return {1 + frame_overhead_bytes / frame_payload_bytes, 1};
    constexpr double endless = std::numeric_limits<double>::infinity();
    Carried least{endless, endless};
    for (const bcast::TcpFactor& factor : bcast::tcp_factors) {
        if (static_cast<double>(bytes) + costs.envelope_bytes < factor.from_bytes) continue;
        least.bytes = std::min(least.bytes, 1 / factor.bandwidth);
        least.latencies = std::min(least.latencies, factor.latency);
    }
    return least;
}

Wires::Wires(const Network& network, const bcast::Order& order, MessageCosts costs)
    : order_(&order), costs_(std::move(costs)), paths_(network), links_(static_cast<std::size_t>(link_count(network))) {
    const auto set = [&](LinkId id, const LinkSpeed& speed, int cables) {
        links_[static_cast<std::size_t>(id)] = {1 / speed.bandwidth_Bps, 1 / (speed.bandwidth_Bps * cables),
                                                speed.latency_s};
    };
    for (int machine = 0; machine < static_cast<int>(network.machines.size()); ++machine) {
        const LinkSpeed& port = network.machines[static_cast<std::size_t>(machine)].port;
        set(port_out(machine), port, 1);
        set(port_in(machine), port, 1);
    }
    const std::vector<LinkSpeed> trunks = planned_speeds(network);
    for (int trunk = 0; trunk < static_cast<int>(trunks.size()); ++trunk) {
        for (const bool from_a : {true, false}) {
            set(trunk_link(network, trunk, from_a), trunks[static_cast<std::size_t>(trunk)],
                network.trunks[static_cast<std::size_t>(trunk)].cables);
        }
    }
}

std::vector<LinkId> Wires::between(int from, int to) const {
    return paths_.between(machine(from), machine(to));
}

double Wires::answers() const {
    return costs_.framing == Framing::none ? 0 : acknowledgements;
}

void Wires::drop_latencies() {
    for (Link& link : links_) link.latency_s = 0;
}

}  // namespace bcastgen
