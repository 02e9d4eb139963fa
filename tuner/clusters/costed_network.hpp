// The network that a cluster's messages cross and what they cost on it, as far as the topology describes it: for floors
// beside measured times.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

struct CostedNetwork {
    Network network;
    MessageCosts costs;

    /// Microseconds that no broadcast sent from machine to machine can be below (planner/price/floor.hpp).
    [[nodiscard]] double floor_us(const std::vector<int>& machines, int root, std::size_t bytes) const;
};

/// Links as they are described, and software as it is usual for them.
[[nodiscard]] CostedNetwork as_described(const Network& network);

/// The same with the speed of the fastest machine port that an emulated cluster has, all links scaled alike.
[[nodiscard]] CostedNetwork at_rate(const Network& network, double rate_Bps);

/// By the model of a simulation, as Cluster::network_model names it.
[[nodiscard]] CostedNetwork as_simulated(const Network& network, const std::string& model);

}  // namespace bcastgen
