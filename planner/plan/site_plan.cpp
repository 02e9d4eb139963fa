#include "planner/plan/site_plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/hash.hpp"
#include "bcast/facts/tree_builders.hpp"
#include "bcast/trees/order.hpp"

namespace bcastgen {

namespace {

/// Whose trees are baked, in the sequence of the table; linear, flat and binomial trees are arithmetic over the order.
std::vector<bcast::Algorithm> baked_algorithms() {
    std::vector<bcast::Algorithm> baked;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::has(row.algorithm, bcast::trait::baked)) baked.push_back(row.algorithm);
    }
    return baked;
}

std::vector<int> members_on(const bcast::Layout& layout, const std::vector<int>& members, int sw) {
    std::vector<int> on_switch;
    for (int machine : members) {
        if (layout.machine_switch[static_cast<std::size_t>(machine)] == sw) on_switch.push_back(machine);
    }
    return on_switch;
}

BakedTreePlan bake_tree(bcast::Algorithm algorithm, const bcast::Tree& tree) {
    BakedTreePlan baked{algorithm, tree.parent, std::vector<int>(tree.parent.size(), 0)};
    for (const std::vector<int>& children : tree.children) {
        for (std::size_t turn = 0; turn < children.size(); ++turn) {
            baked.turn[static_cast<std::size_t>(children[turn])] = static_cast<int>(turn);
        }
    }
    return baked;
}

BakedRootPlan bake_root(const bcast::Layout& layout, const std::vector<int>& members, int sw, int first) {
    const bcast::Order order = bcast::depth_first_order(layout, members, first);
    BakedRootPlan root{sw, order.machines, {}};
    for (const bcast::Algorithm algorithm : baked_algorithms()) {
        const int radix = bcast::row_of(algorithm).children;
        for (const bcast::Tree& tree : bcast::build_trees(algorithm, {layout, order, radix, 0})) {
            root.trees.push_back(bake_tree(algorithm, tree));
        }
    }
    return root;
}

BakedSetPlan bake_set(const bcast::Layout& layout, std::string name, const std::vector<int>& members) {
    BakedSetPlan set{std::move(name), {}};
    for (std::size_t sw = 0; sw < layout.neighbours.size(); ++sw) {
        const std::vector<int> here = members_on(layout, members, static_cast<int>(sw));
        if (!here.empty()) set.roots.push_back(bake_root(layout, members, static_cast<int>(sw), here.front()));
    }
    return set;
}

std::size_t entries_of(const bcast::Layout& layout, const std::vector<int>& members) {
    std::set<int> used;
    for (int machine : members) used.insert(layout.machine_switch[static_cast<std::size_t>(machine)]);
    return used.size() * members.size() * (1 + 2 * baked_algorithms().size());
}

/// The whole site and every partition of at least two machines, as long as their tables stay small together.
void bake(const Network& network, SitePlan& plan) {
    std::vector<int> site_number(network.machines.size());
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        site_number[static_cast<std::size_t>(plan.machines[number])] = static_cast<int>(number);
    }
    std::vector<std::pair<std::string, std::vector<int>>> sets(1);
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        sets[0].second.push_back(static_cast<int>(number));
    }
    for (const Partition& partition : network.partitions) {
        std::vector<int> members;
        for (int machine : partition.machines) members.push_back(site_number[static_cast<std::size_t>(machine)]);
        std::sort(members.begin(), members.end());
        if (members.size() >= 2) sets.emplace_back(partition.name, std::move(members));
    }
    std::size_t entries = 0;
    for (const auto& [name, members] : sets) {
        entries += entries_of(plan.layout, members);
        if (entries > most_baked_entries) return;
        plan.sets.push_back(bake_set(plan.layout, name, members));
    }
}

std::uint64_t hash_of(const Network& network, const SitePlan& plan) {
    Hash hash;
    hash.add(network.name);
    hash.add(static_cast<std::int64_t>(plan.machines.size()));
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        hash.add(network.machines[static_cast<std::size_t>(plan.machines[number])].name);
        hash.add(plan.machine_switch[number]);
    }
    for (const auto& [a, b] : plan.switch_links) {
        hash.add(a);
        hash.add(b);
    }
    for (const bcast::LinkSpeed& speed : plan.link_speeds) {
        hash.add(speed.bandwidth_Bps);
        hash.add(speed.latency_ns);
    }
    for (const int speed : plan.port_speed) hash.add(speed);
    for (const int speed : plan.switch_link_speed) hash.add(speed);
    for (const int ns : plan.more_send_ns) hash.add(ns);
    for (const int ns : plan.more_receive_ns) hash.add(ns);
    if (network.multicast) {
        hash.add(network.multicast->groups);
        hash.add(network.multicast->interface);
    }
    for (const BakedSetPlan& set : plan.sets) {
        hash.add(set.name);
        hash.add(static_cast<std::int64_t>(set.roots.size()));
        for (const BakedRootPlan& root : set.roots) {
            hash.add(root.sw);
            hash.add(static_cast<std::int64_t>(root.order.size()));
            for (int machine : root.order) hash.add(machine);
            for (const BakedTreePlan& tree : root.trees) {
                hash.add(bcast::name_of(tree.algorithm));
                for (int parent : tree.parent) hash.add(parent);
                for (int turn : tree.turn) hash.add(turn);
            }
        }
    }
    return hash.value();
}

void list_speeds(const Network& network, SitePlan& plan) {
    using Key = std::pair<std::int64_t, std::int64_t>;
    const auto key = [](const LinkSpeed& speed) {
        const bcast::LinkSpeed whole = as_built_with(speed);
        return Key(whole.bandwidth_Bps, whole.latency_ns);
    };
    std::map<Key, int> ports;  // how many
    for (const Machine& machine : network.machines) ++ports[key(machine.port)];
    const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
    std::map<Key, int> numbers;
    const auto number_of = [&](const Key& speed) {
        const auto [at, is_new] = numbers.try_emplace(speed, static_cast<int>(plan.link_speeds.size()));
        if (is_new) plan.link_speeds.push_back({speed.first, speed.second});
        return at->second;
    };
    number_of(std::max_element(ports.begin(), ports.end(), fewer)->first);
    for (const int machine : plan.machines) {
        plan.port_speed.push_back(number_of(key(network.machines[static_cast<std::size_t>(machine)].port)));
    }
    const std::vector<LinkSpeed> trunks = planned_speeds(network);
    for (std::size_t t = 0; t < trunks.size(); ++t) {
        if (network.trunks[t].in_tree) plan.switch_link_speed.push_back(number_of(key(trunks[t])));
    }
}

void list_software(const Network& network, SitePlan& plan) {
    const MoreSoftware more = more_software(network);
    if (more.send_ns.empty()) return;
    for (const int machine : plan.machines) {
        plan.more_send_ns.push_back(more.send_ns[static_cast<std::size_t>(machine)]);
        plan.more_receive_ns.push_back(more.receive_ns[static_cast<std::size_t>(machine)]);
    }
}

}  // namespace

BakedRootPlan plan_root(const SitePlan& plan, int number) {
    std::vector<int> all(plan.machines.size());
    std::iota(all.begin(), all.end(), 0);
    return bake_root(plan.layout, all, plan.machine_switch[static_cast<std::size_t>(number)], number);
}

bcast::Layout site_layout(const SitePlan& plan, std::size_t switches) {
    bcast::Layout layout;
    layout.machine_switch = plan.machine_switch;
    layout.neighbours.resize(switches);
    for (const auto& [a, b] : plan.switch_links) {
        layout.neighbours[static_cast<std::size_t>(a)].push_back(b);
        layout.neighbours[static_cast<std::size_t>(b)].push_back(a);
    }
    layout.trunks.resize(switches);
    for (std::size_t link = 0; link < plan.switch_links.size(); ++link) {
        const bcast::LinkSpeed& speed = plan.link_speeds[static_cast<std::size_t>(plan.switch_link_speed[link])];
        layout.trunks[static_cast<std::size_t>(plan.switch_links[link].first)].push_back(speed);
        layout.trunks[static_cast<std::size_t>(plan.switch_links[link].second)].push_back(speed);
    }
    for (const int speed : plan.port_speed) layout.ports.push_back(plan.link_speeds[static_cast<std::size_t>(speed)]);
    layout.more_send_ns = plan.more_send_ns;
    layout.more_receive_ns = plan.more_receive_ns;
    return layout;
}

SitePlan make_site_plan(const Network& network) {
    SitePlan plan;
    std::vector<int> all(network.machines.size());
    for (std::size_t machine = 0; machine < all.size(); ++machine) all[machine] = static_cast<int>(machine);
    const bcast::Layout layout = layout_of(network);
    int first_switch = 0;
    while (members_on(layout, all, first_switch).empty()) ++first_switch;
    plan.machines = bcast::depth_first_order(layout, all, members_on(layout, all, first_switch).front()).machines;
    for (int machine : plan.machines) {
        plan.machine_switch.push_back(network.machines[static_cast<std::size_t>(machine)].sw);
    }
    for (const Trunk& trunk : network.trunks) {
        if (trunk.in_tree) plan.switch_links.emplace_back(trunk.a, trunk.b);
    }
    list_speeds(network, plan);
    list_software(network, plan);
    plan.layout = site_layout(plan, network.switches.size());
    bake(network, plan);
    plan.hash = hash_of(network, plan);
    return plan;
}

}  // namespace bcastgen
