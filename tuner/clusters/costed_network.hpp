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

/// Of real hosts: links as they are described, and software where it is. What is usual for links, and how TCP does with
/// some sizes, need not be so there.
[[nodiscard]] CostedNetwork as_described(const Network& network);

/// By the model of a simulation, as Cluster::network_model names it.
[[nodiscard]] CostedNetwork as_simulated(const Network& network, const std::string& model);

}  // namespace bcastgen
