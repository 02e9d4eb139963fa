#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/hostlist.hpp"
#include "base/units.hpp"
#include "planner/formats/slurm/slurm.hpp"

namespace bcastgen {

namespace {

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}

using Neighbours = std::vector<std::vector<int>>;

/// By switch: the switch it is reached from when the tree is walked from `root`; -1 for the root itself.
std::vector<int> parents_from(const Neighbours& neighbours, int root, std::vector<int>& sequence) {
    std::vector<int> parent(neighbours.size(), -1);
    sequence = {root};
    for (std::size_t at = 0; at < sequence.size(); ++at) {
        const int sw = sequence[at];
        for (const int next : neighbours[index(sw)]) {
            if (next == parent[index(sw)]) continue;
            parent[index(next)] = sw;
            sequence.push_back(next);
        }
    }
    return parent;
}

/// The middle of a longest path: the root that makes the tree lowest. Of two middles, the one without machines.
int middle_of(const Neighbours& neighbours, const std::vector<std::vector<std::string>>& machines) {
    std::vector<int> sequence;
    parents_from(neighbours, 0, sequence);
    const int end = sequence.back();
    const std::vector<int> parent = parents_from(neighbours, end, sequence);
    std::vector<int> path;
    for (int sw = sequence.back(); sw >= 0; sw = parent[index(sw)]) path.push_back(sw);
    const int middle = path[path.size() / 2];
    if (path.size() % 2 == 1) return middle;
    const int other = path[path.size() / 2 - 1];
    const bool crowded = machines[index(middle)].empty() == machines[index(other)].empty();
    if (crowded) return std::min(middle, other);
    return machines[index(middle)].empty() ? middle : other;
}

/// The Slurm tree: which switches have machines below them, and which are below which.
struct SlurmTree {
    std::vector<std::vector<std::string>> machines;  ///< by switch
    std::vector<std::vector<int>> children;          ///< by switch; those with machines below only
    std::vector<char> used;                          ///< by switch
    std::vector<std::string> part;  ///< by switch: the name of the leaf that its own machines go to; empty: none
};

SlurmTree tree_of(const Network& network) {
    SlurmTree tree;
    const std::size_t switches = network.switches.size();
    tree.machines = machine_names_by_switch(network);
    tree.children.resize(switches);
    tree.used.assign(switches, 0);
    tree.part.resize(switches);
    const Neighbours neighbours = layout_of(network).neighbours;
    std::vector<int> sequence;
    const std::vector<int> parent = parents_from(neighbours, middle_of(neighbours, tree.machines), sequence);
    for (auto at = sequence.rbegin(); at != sequence.rend(); ++at) {
        const int sw = *at;
        if (!tree.machines[index(sw)].empty()) tree.used[index(sw)] = 1;
        if (tree.used[index(sw)] != 0 && parent[index(sw)] >= 0) tree.used[index(parent[index(sw)])] = 1;
    }
    for (const int sw : sequence) {
        if (parent[index(sw)] >= 0 && tree.used[index(sw)] != 0) tree.children[index(parent[index(sw)])].push_back(sw);
    }
    const auto taken = [&](const std::string& name) {
        const auto same = [&](const auto& one) { return one.name == name; };
        return std::any_of(network.switches.begin(), network.switches.end(), same) ||
               std::any_of(network.machines.begin(), network.machines.end(), same);
    };
    for (std::size_t sw = 0; sw < switches; ++sw) {
        if (tree.machines[sw].empty() || tree.children[sw].empty()) continue;
        tree.part[sw] = network.switches[sw].name + ".machines";
        while (taken(tree.part[sw])) tree.part[sw] += "-";
        if (tree.part[sw].back() == '-') tree.part[sw] += "0";
    }
    return tree;
}

/// A switch as Slurm describes it: it has either nodes or switches below it.
struct SlurmEntry {
    std::string name;
    std::vector<std::string> children;
    std::vector<std::string> nodes;
};

std::vector<SlurmEntry> entries_of(const Network& network, const SlurmTree& tree) {
    std::vector<SlurmEntry> entries;
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) {
        if (tree.used[sw] == 0) continue;
        const std::string& name = network.switches[sw].name;
        std::vector<std::string> below;
        if (!tree.part[sw].empty()) below.push_back(tree.part[sw]);
        for (const int child : tree.children[sw]) below.push_back(network.switches[index(child)].name);
        if (!below.empty()) entries.push_back({name, std::move(below), {}});
        if (tree.machines[sw].empty()) continue;
        entries.push_back({tree.part[sw].empty() ? name : tree.part[sw], {}, tree.machines[sw]});
    }
    return entries;
}

std::string speed_hint(const LinkSpeed& speed) {
    return fmt::format("bandwidth={} latency={}", format_bandwidth(speed.bandwidth_Bps),
                       format_latency(speed.latency_s));
}

std::string switch_hints(const Network& network, const SlurmTree& tree) {
    std::vector<std::string> all;
    std::vector<std::string> idle;
    std::map<int, std::vector<std::string>> priorities;
    std::string parts;
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) {
        const Switch& one = network.switches[sw];
        all.push_back(one.name);
        if (tree.used[sw] == 0) idle.push_back(one.name);
        if (one.priority != default_priority) priorities[one.priority].push_back(one.name);
        if (!tree.part[sw].empty()) parts += fmt::format("# bcastgen part={} of={}\n", tree.part[sw], one.name);
    }
    std::string text = fmt::format("# bcastgen switches={}\n", fold_hostlist(all));
    if (!idle.empty()) text += fmt::format("# bcastgen idle={}\n", fold_hostlist(idle));
    for (const auto& [priority, names] : priorities) {
        text += fmt::format("# bcastgen priority={} switches={}\n", priority, fold_hostlist(names));
    }
    return text + parts;
}

std::string software_hint(const Software& software) {
    return fmt::format(" send={} receive={} per_byte={} copy_bandwidth={} copy_latency={}",
                       format_latency(software.send_s), format_latency(software.receive_s),
                       format_latency(software.per_byte_s), format_bandwidth(software.copy_bandwidth_Bps),
                       format_latency(software.copy_latency_s));
}

std::string port_hints(const Network& network) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const Machine& machine : network.machines) {
        const std::string what = fmt::format("{} cores={}{}", speed_hint(machine.port), machine.cores,
                                             machine.software ? software_hint(*machine.software) : "");
        const auto same =
            std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == what; });
        (same == groups.end() ? groups.emplace_back(what, std::vector<std::string>{}) : *same)
            .second.push_back(machine.name);
    }
    std::string text;
    for (const auto& [what, names] : groups) {
        text += fmt::format("# bcastgen ports={} {}\n", fold_hostlist(names), what);
    }
    return text;
}

/// Links in the topology file's order, neighbours of one kind and speed on one line.
std::string link_hints(const Network& network, const SlurmTree& tree) {
    std::string text;
    std::string last;
    for (const Trunk& trunk : network.trunks) {
        const bool in_slurm = trunk.in_tree && tree.used[index(trunk.a)] != 0 && tree.used[index(trunk.b)] != 0;
        const std::string what = fmt::format(" {} cables={}\n", speed_hint(trunk.speed), trunk.cables);
        const std::string key = in_slurm ? "links" : "more_links";
        if (last != key + what) {
            if (!last.empty()) text += last.substr(last.find(' '));
            text += fmt::format("# bcastgen {}=", key);
            last = key + what;
        } else {
            text += ",";
        }
        text += fmt::format("{}:{}", network.switches[index(trunk.a)].name, network.switches[index(trunk.b)].name);
    }
    if (!last.empty()) text += last.substr(last.find(' '));
    return text;
}

/// What Slurm has no words for, as comments.
std::string hints_of(const Network& network, const SlurmTree& tree) {
    std::string text = "#\n# What Slurm has no words for; `bcastgen import slurm` reads it.\n";
    text += fmt::format("# bcastgen name={} spanning_tree={}\n", network.name, name_of(network.spanning_tree));
    text += switch_hints(network, tree) + port_hints(network) + link_hints(network, tree);
    for (const Partition& partition : network.partitions) {
        std::vector<std::string> names;
        for (const int machine : partition.machines) names.push_back(network.machines[index(machine)].name);
        text += fmt::format("# bcastgen partition={} machines={}\n", partition.name, fold_hostlist(names));
    }
    if (network.multicast) {
        text += fmt::format("# bcastgen multicast={}", network.multicast->groups);
        if (!network.multicast->interface.empty()) text += fmt::format(" interface={}", network.multicast->interface);
        text += "\n";
    }
    return text;
}

}  // namespace

std::string export_slurm(const Network& network) {
    const SlurmTree tree = tree_of(network);
    std::string text = fmt::format("# topology.conf of {}, for TopologyPlugin=topology/tree.\n", network.name);
    for (const SlurmEntry& entry : entries_of(network, tree)) {
        const bool leaf = entry.children.empty();
        text += fmt::format("SwitchName={} {}={}\n", entry.name, leaf ? "Nodes" : "Switches",
                            fold_hostlist(leaf ? entry.nodes : entry.children));
    }
    return text + hints_of(network, tree);
}

std::string export_slurm_yaml(const Network& network) {
    const SlurmTree tree = tree_of(network);
    std::string text = fmt::format("# topology.yaml of {}, for Slurm 25.05 and later.\n---\n", network.name);
    text += fmt::format("- topology: \"{}\"\n  cluster_default: true\n  tree:\n    switches:\n", network.name);
    for (const SlurmEntry& entry : entries_of(network, tree)) {
        const bool leaf = entry.children.empty();
        text += fmt::format("      - switch: \"{}\"\n        {}: \"{}\"\n", entry.name, leaf ? "nodes" : "children",
                            fold_hostlist(leaf ? entry.nodes : entry.children));
    }
    return text + hints_of(network, tree);
}

}  // namespace bcastgen
