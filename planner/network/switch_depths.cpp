#include "planner/network/switch_depths.hpp"

#include <cstddef>

#include "base/index.hpp"

namespace bcastgen {

namespace {}  // namespace

std::vector<int> switch_depths(const Network& network, int root_switch) {
    const bcast::Layout layout = layout_of(network);
    std::vector<int> depth(network.switches.size(), -1);
    depth[at(root_switch)] = 0;
    std::vector<int> walk{root_switch};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        for (int neighbour : layout.neighbours[at(walk[i])]) {
            if (depth[at(neighbour)] >= 0) continue;
            depth[at(neighbour)] = depth[at(walk[i])] + 1;
            walk.push_back(neighbour);
        }
    }
    return depth;
}

}  // namespace bcastgen
