#include "planner/plan/load_proof.hpp"

#include <algorithm>
#include <cstddef>

#include "base/index.hpp"

namespace bcastgen {

namespace {

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

double reference_bandwidth_Bps(const Network& network, const std::vector<int>& machines) {
    double fastest = 0;
    for (const int machine : machines) fastest = std::max(fastest, network.machines[at(machine)].port.bandwidth_Bps);
    return fastest;
}

double reference_bandwidth_Bps(const Network& network) {
    double fastest = 0;
    for (const Machine& machine : network.machines) fastest = std::max(fastest, machine.port.bandwidth_Bps);
    return fastest;
}

std::vector<double> link_stages(const Network& network, const std::vector<double>& loads, double reference_Bps) {
    std::vector<double> stages;
    for (LinkId link = 0; link < link_count(network); ++link) {
        stages.push_back(loads[at(link)] * reference_Bps / link_bandwidth_Bps(network, link));
    }
    return stages;
}

namespace {

/// Sums what transmissions put on every cable.
class CableLoads {
  public:
    explicit CableLoads(const Network& network) : network_(network) {
        int cables = 0;
        for (LinkId link = 0; link < link_count(network); ++link) {
            first_.push_back(cables);
            const auto trunk = link / 2 - static_cast<int>(network.machines.size());
            cables += trunk < 0 ? 1 : network.trunks[at(trunk)].cables;
        }
        first_.push_back(cables);
        loads_.assign(at(cables), 0.0);
    }

    /// Adds what is sent at one time. Returns whether every cable has the bandwidth of all its senders' ports, or one
    /// sender.
    template <class Between>
    bool add(std::vector<PartSent> parts, Between between) {
        std::stable_sort(parts.begin(), parts.end(),
                         [](const PartSent& a, const PartSent& b) { return a.from < b.from; });
        std::vector<int> latest(loads_.size(), -1);  // sender
        std::vector<double> ports_Bps(loads_.size(), 0);
        bool room = true;
        for (const auto& [from, to, share] : parts) {
            for (const Crossing& crossing : between(from, to)) {
                const std::size_t cable = at(first_[at(crossing.link)] + crossing.cable);
                loads_[cable] += share;
                if (latest[cable] == from) continue;
                const bool first = latest[cable] < 0;
                latest[cable] = from;
                ports_Bps[cable] += network_.machines[at(from)].port.bandwidth_Bps;
                room = room && (first || ports_Bps[cable] <= link_bandwidth_Bps(network_, crossing.link));
            }
        }
        return room;
    }

    [[nodiscard]] std::vector<double> by_link() const {
        std::vector<double> loads;
        for (std::size_t link = 0; link + 1 < first_.size(); ++link) {
            loads.push_back(*std::max_element(loads_.begin() + first_[link], loads_.begin() + first_[link + 1]));
        }
        return loads;
    }

  private:
    const Network& network_;
    std::vector<int> first_;  // link -> its first cable
    std::vector<double> loads_;
};

/// Gives every trunk of a folded Clos the load of the trunk of the tree that bounds its.
void bound_loads(const Network& network, std::vector<double>& loads) {
    const auto upwards = [&network](int trunk) {
        const Trunk& t = network.trunks[at(trunk)];
        return network.switches[at(t.a)].level < network.switches[at(t.b)].level;
    };
    for (int trunk = 0; at(trunk) < network.trunks.size(); ++trunk) {
        const int bound = network.trunks[at(trunk)].bounded_by;
        if (bound < 0) continue;
        for (const bool up : {true, false}) {
            loads[at(trunk_link(network, trunk, upwards(trunk) == up))] =
                loads[at(trunk_link(network, bound, upwards(bound) == up))];
        }
    }
}

}  // namespace

namespace {

/// The ways of messages through the trunks in use, for the proof alone: the builders find theirs by code of their own
/// (planner/network/paths.hpp, bcast/trees/order.hpp). The tree hangs from the last switch; a way is what is left of
/// the two ends' ways to the top once what they share is taken off.
class TreeWays {
  public:
    explicit TreeWays(const Network& network) : network_(network), to_top_(network.switches.size()) {
        std::vector<std::vector<std::size_t>> trunks(network.switches.size());
        for (std::size_t trunk = 0; trunk < network.trunks.size(); ++trunk) {
            if (!network.trunks[trunk].in_tree) continue;
            trunks[at(network.trunks[trunk].a)].push_back(trunk);
            trunks[at(network.trunks[trunk].b)].push_back(trunk);
        }
        const int top = static_cast<int>(network.switches.size()) - 1;
        std::vector<int> waiting{top};
        while (!waiting.empty()) {
            const int sw = waiting.back();
            waiting.pop_back();
            for (const std::size_t trunk : trunks[at(sw)]) {
                const Trunk& cable = network.trunks[trunk];
                const int other = cable.a == sw ? cable.b : cable.a;
                if (other == top || to_top_[at(other)].next >= 0) continue;
                to_top_[at(other)] = {sw, static_cast<int>(trunk), to_top_[at(sw)].distance + 1};
                waiting.push_back(other);
            }
        }
    }

    /// The directed links from one machine to another, in no particular order. O(links).
    [[nodiscard]] std::vector<Crossing> between(int from, int to) const {
        std::vector<Crossing> crossed{{port_out(from), 0}, {port_in(to), 0}};
        int left = network_.machines[at(from)].sw;
        int right = network_.machines[at(to)].sw;
        while (left != right) {
            const bool climbs = to_top_[at(left)].distance > to_top_[at(right)].distance;
            int& sw = climbs ? left : right;
            const Step& step = to_top_[at(sw)];
            const bool from_a = network_.trunks[at(step.trunk)].a == (climbs ? sw : step.next);
            crossed.push_back({trunk_link(network_, step.trunk, from_a), 0});
            sw = step.next;
        }
        return crossed;
    }

  private:
    struct Step {
        int next = -1;  ///< the switch one nearer to the top
        int trunk = -1;
        int distance = 0;
    };
    const Network& network_;
    std::vector<Step> to_top_;  ///< by switch
};

/// Loads, stage, and as `contention_free` whether no phase has two senders on a cable without the bandwidth for both.
LoadProof sum_loads(const Network& network, const std::vector<int>& machines,
                    const std::vector<std::vector<PartSent>>& phases, const Routes* routes) {
    const TreeWays ways(network);
    const auto between = [&](int from, int to) {
        return routes != nullptr ? routes->between(from, to) : ways.between(from, to);
    };
    LoadProof proof;
    proof.contention_free = true;
    CableLoads cables(network);
    for (const std::vector<PartSent>& phase : phases) {
        proof.contention_free = cables.add(phase, between) && proof.contention_free;
    }
    proof.loads = cables.by_link();
    if (routes == nullptr) bound_loads(network, proof.loads);
    const double reference_Bps = reference_bandwidth_Bps(network, machines);
    for (const double stage : link_stages(network, proof.loads, reference_Bps)) {
        proof.stage = std::max(proof.stage, stage);
    }
    return proof;
}

/// No load above 1, or on a wide link above its bandwidth over the reference's. What a machine itself sends may also
/// take as long as the slowest machine takes to receive.
bool every_link_carries_its_load(const Network& network, const std::vector<int>& machines,
                                 const std::vector<double>& loads) {
    const double reference = reference_bandwidth_Bps(network, machines);
    const auto width = [&](LinkId link) { return link_bandwidth_Bps(network, link) / reference; };
    double receiving = 1;
    for (const int machine : machines) receiving = std::max(receiving, 1 / width(port_in(machine)));
    for (LinkId link = 0; link < link_count(network); ++link) {
        const bool own_port = link < 2 * static_cast<int>(network.machines.size()) && link == port_out(link / 2);
        const double limit = std::max(1.0, width(link) * (own_port ? receiving : 1));
        constexpr double rounding = 1e-9;
        if (loads[at(link)] > limit * (1 + rounding)) return false;
    }
    return true;
}

}  // namespace

LoadProof prove_load(const Network& network, const std::vector<int>& machines, int root,
                     const std::vector<Transmissions>& trees, const Routes* routes) {
    bool covers = true;
    std::vector<std::vector<PartSent>> sent;
    for (const Transmissions& tree : trees) {
        covers = covers && reaches_all(machines, root, tree, network.machines.size());
        sent.emplace_back();
        for (const auto& [from, to] : tree.edges) sent.back().push_back({from, to, tree.share});
    }
    LoadProof proof = sum_loads(network, machines, sent, routes);
    proof.covers = covers;
    if (trees.size() != 1) proof.contention_free = every_link_carries_its_load(network, machines, proof.loads);
    return proof;
}

LoadProof prove_phases(const Network& network, const std::vector<int>& machines, int root,
                       const std::vector<std::vector<PartSent>>& phases, const Routes* routes) {
    constexpr double rounding = 1e-9;
    std::vector<double> received(network.machines.size(), 0);
    for (const std::vector<PartSent>& phase : phases) {
        for (const PartSent& part : phase) received[at(part.to)] += part.share;
    }
    LoadProof proof = sum_loads(network, machines, phases, routes);
    proof.covers = std::all_of(machines.begin(), machines.end(),
                               [&](int machine) { return machine == root || received[at(machine)] >= 1 - rounding; });
    return proof;
}

}  // namespace bcastgen
