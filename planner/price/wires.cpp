#include "planner/price/wires.hpp"

namespace bcastgen {

MessageCosts message_costs(const Network& network) {
    constexpr double envelope_bytes = 16;  // SimGrid's, and about what MPIs put before a message
    MessageCosts costs{{}, envelope_bytes};
    for (const Machine& machine : network.machines) costs.software.push_back(software_of(machine));
    return costs;
}

Wires::Wires(const Network& network, const bcast::Order& order, const MessageCosts& costs)
    : order_(&order), costs_(&costs), no_costs_{std::vector<Software>(costs.software.size()), costs.envelope_bytes},
      paths_(network), links_(static_cast<std::size_t>(link_count(network))) {
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

void Wires::drop_latencies() {
    for (Link& link : links_) link.latency_s = 0;
}

}  // namespace bcastgen
