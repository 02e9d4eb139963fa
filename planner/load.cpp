#include "load.hpp"

#include <algorithm>
#include <cstddef>

namespace bcastgen {

namespace {

std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

bool reaches_all(const std::vector<int>& machines, int root, const Transmissions& tree, std::size_t machine_count) {
    std::vector<char> takes_part(machine_count, 0);
    for (int machine : machines) takes_part[at(machine)] = 1;
    std::vector<int> received(machine_count, 0);
    std::vector<std::vector<int>> sends(machine_count);
    for (const auto& [from, to] : tree.edges) {
        if (takes_part[at(from)] == 0 || takes_part[at(to)] == 0) return false;
        ++received[at(to)];
        sends[at(from)].push_back(to);
    }
    for (int machine : machines) {
        if (received[at(machine)] != (machine == root ? 0 : 1)) return false;
    }
    std::vector<int> reached{root};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const std::vector<int>& to = sends[at(reached[i])];
        reached.insert(reached.end(), to.begin(), to.end());
    }
    return reached.size() == machines.size();
}

}  // namespace

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
            const int below = trunk.a == sw ? trunk.b : trunk.a;
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

double reference_bandwidth_Bps(const Network& network) {
    double fastest = 0;
    for (const Machine& machine : network.machines) fastest = std::max(fastest, machine.port.bandwidth_Bps);
    return fastest;
}

double link_stage(const Network& network, LinkId link, double load) {
    return load * reference_bandwidth_Bps(network) / link_bandwidth_Bps(network, link);
}

LoadProof prove_load(const Network& network, const std::vector<int>& machines, int root,
                     const std::vector<Transmissions>& trees) {
    const Paths paths(network);
    LoadProof proof;
    proof.loads.assign(at(link_count(network)), 0.0);
    proof.covers = true;
    bool shared = false;  // by different senders of one tree
    for (const Transmissions& tree : trees) {
        proof.covers = proof.covers && reaches_all(machines, root, tree, network.machines.size());
        std::vector<int> crossings(proof.loads.size(), 0);
        std::vector<int> sender(proof.loads.size(), -1);
        for (const auto& [from, to] : tree.edges) {
            for (LinkId link : paths.between(from, to)) {
                shared = shared || (sender[at(link)] >= 0 && sender[at(link)] != from);
                sender[at(link)] = from;
                ++crossings[at(link)];
            }
        }
        for (std::size_t link = 0; link < crossings.size(); ++link) proof.loads[link] += tree.share * crossings[link];
    }
    const double reference = reference_bandwidth_Bps(network);
    double heaviest = 0;
    for (LinkId link = 0; link < link_count(network); ++link) {
        const double load = proof.loads[at(link)];
        heaviest = std::max(heaviest, load);
        proof.stage = std::max(proof.stage, load * reference / link_bandwidth_Bps(network, link));
    }
    proof.contention_free = trees.size() == 1 ? !shared : heaviest <= 1;
    return proof;
}

}  // namespace bcastgen
