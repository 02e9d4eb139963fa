// What of a network measurements between its machines can show.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen::testing {

/// A tree is known by how each of its trunks divides the machines: the side without the first machine, of every trunk
/// that divides them otherwise than others do, and into more than one machine on each side.
inline std::set<std::set<std::string>> observable(const Network& network) {
    std::set<std::set<std::string>> divisions;
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const std::vector<char> side = side_of_a(network, static_cast<int>(t));
        std::set<std::string> away;
        for (std::size_t m = 0; m < side.size(); ++m) {
            if (side[m] != side[0]) away.insert(network.machines[m].name);
        }
        if (away.size() > 1 && away.size() + 1 < side.size()) divisions.insert(away);
    }
    return divisions;
}

}  // namespace bcastgen::testing
