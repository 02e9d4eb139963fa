#include "planner/network/paths.hpp"

#include <cstddef>

#include "base/index.hpp"

namespace bcastgen {

namespace {}  // namespace

Paths::Paths(const Network& network) : above_(network.switches.size()) {
    machine_switch_.reserve(network.machines.size());
    for (const Machine& machine : network.machines) machine_switch_.push_back(machine.sw);
    std::vector<std::vector<int>> trunks(network.switches.size());
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (!trunk.in_tree) continue;
        trunks[at(trunk.a)].push_back(static_cast<int>(t));
        trunks[at(trunk.b)].push_back(static_cast<int>(t));
    }
    std::vector<int> walk{0};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        const int sw = walk[i];
        for (int t : trunks[at(sw)]) {
            const Trunk& trunk = network.trunks[at(t)];
            const int below = across(trunk, sw);
            if (below == above_[at(sw)].sw) continue;
            above_[at(below)] = {sw, trunk_link(network, t, trunk.a == below), trunk_link(network, t, trunk.a == sw),
                                 above_[at(sw)].depth + 1};
            walk.push_back(below);
        }
    }
}

std::vector<LinkId> Paths::between(int from, int to) const {
    if (from == to) return {};
    std::vector<LinkId> path{port_out(from)};
    std::vector<LinkId> descent{port_in(to)};
    int a = machine_switch_[at(from)];
    int b = machine_switch_[at(to)];
    while (a != b) {
        if (above_[at(a)].depth >= above_[at(b)].depth) {
            path.push_back(above_[at(a)].up);
            a = above_[at(a)].sw;
        } else {
            descent.push_back(above_[at(b)].down);
            b = above_[at(b)].sw;
        }
    }
    path.insert(path.end(), descent.rbegin(), descent.rend());
    return path;
}

}  // namespace bcastgen
