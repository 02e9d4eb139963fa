#include "tuner/clusters/costed_network.hpp"

#include "planner/price/floor.hpp"
#include "tuner/clusters/simulated.hpp"

namespace bcastgen {

double CostedNetwork::floor_us(const std::vector<int>& machines, int root, std::size_t bytes) const {
    return 1e6 * floor_s(network, costs, machines, root, bytes);
}

CostedNetwork as_described(const Network& network) {
    CostedNetwork costed{network, message_costs(network)};
    costed.costs.framing = Framing::none;
    for (std::size_t machine = 0; machine < network.machines.size(); ++machine) {
        costed.costs.software[machine] = network.machines[machine].software.value_or(Software{});
    }
    return costed;
}

CostedNetwork as_simulated(const Network& network, const std::string& model) {
    CostedNetwork costed{network, message_costs(network)};
    costed.costs.framing = model_of(model) == NetworkModel::realistic ? Framing::simulated : Framing::none;
    costed.costs.in_turn = model_of(model) == NetworkModel::fabric;
    for (std::size_t machine = 0; machine < network.machines.size(); ++machine) {
        costed.costs.software[machine] = costed.costs.in_turn ? software_of(network.machines[machine]) : Software{};
    }
    return costed;
}

}  // namespace bcastgen
