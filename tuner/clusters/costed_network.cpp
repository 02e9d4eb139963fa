#include "tuner/clusters/costed_network.hpp"

#include <utility>

#include "planner/price/floor.hpp"
#include "tuner/clusters/lab/wiring.hpp"
#include "tuner/clusters/simulated.hpp"

namespace bcastgen {

double CostedNetwork::floor_us(const std::vector<int>& machines, int root, std::size_t bytes) const {
    return 1e6 * floor_s(network, costs, machines, root, bytes);
}

CostedNetwork as_described(const Network& network) {
    return {network, message_costs(network)};
}

CostedNetwork at_rate(const Network& network, double rate_Bps) {
    LabSettings settings;
    settings.rate_Bps = rate_Bps;
    const double factor = speed_factor(network, settings);
    Network scaled = network;
    const auto scale = [&](LinkSpeed& speed) {
        speed.bandwidth_Bps *= factor;
        speed.latency_s /= factor;
    };
    for (Machine& machine : scaled.machines) scale(machine.port);
    for (Trunk& trunk : scaled.trunks) scale(trunk.speed);
    return as_described(scaled);
}

CostedNetwork as_simulated(const Network& network, const std::string& model) {
    CostedNetwork costed = as_described(network);
    costed.costs.ethernet = model_of(model) == NetworkModel::realistic;
    costed.costs.port_in_turn = model_of(model) == NetworkModel::fabric;
    for (std::size_t machine = 0; machine < network.machines.size(); ++machine) {
        costed.costs.software[machine] =
            costed.costs.port_in_turn ? software_of(network.machines[machine]) : Software{};
    }
    return costed;
}

}  // namespace bcastgen
