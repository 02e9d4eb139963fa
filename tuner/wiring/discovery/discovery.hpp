// The network as it can be observed, from nothing but the machines' names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/topology/topology_writer.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

struct Discovery {
    Network network;
    TopologyRemarks remarks;        ///< the evidence of each line
    std::vector<std::string> head;  ///< what was measured, and how
    /// What the measurements leave open: then the network is not to be planned with.
    std::vector<std::string> unclear;
    int rounds = 0;
};

/// Asks the instrument for the round trips of all pairs, then for the speed of every port, then for what every trunk
/// carries, and verifies what came of it. `name`: of the network; `machines`: their names, two or more; the
/// instrument's streams name them by index. Throws what the instrument throws.
[[nodiscard]] Discovery discover_network(const std::string& name, const std::vector<std::string>& machines,
                                         const Instrument& ask, std::uint64_t seed);

}  // namespace bcastgen
