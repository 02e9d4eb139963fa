#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "planner/network/switch_depths.hpp"
#include "planner/print/graphviz_svg.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

constexpr int most_machines_drawn = 200;

/// Sends by the sender's depth in the tree, root first; deeper ones reuse the last. Dark to light, readable on white.
constexpr std::array<std::string_view, 6> depth_colours = {"#b2182b", "#d6604d", "#e08214",
                                                           "#7fbc41", "#4393c3", "#2166ac"};

std::string_view colour(int depth) {
    return depth_colours[std::min(at(depth), depth_colours.size() - 1)];
}

std::vector<int> depths(const bcast::Tree& tree) {
    std::vector<int> depth(tree.parent.size(), 0);
    std::vector<int> walk{0};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        for (int child : tree.children[at(walk[i])]) {
            depth[at(child)] = depth[at(walk[i])] + 1;
            walk.push_back(child);
        }
    }
    return depth;
}

struct TrunkLoad {
    double down = 0;  ///< away from the root
    double up = 0;
    bool is_bound = false;  ///< in a folded Clos, where routes may take any of several trunks
};

/// None: no message takes it.
std::optional<TrunkLoad> load_of(const Plan& plan, const std::vector<int>& depth, const Network& network, int trunk) {
    const Trunk& asked = network.trunks[at(trunk)];
    const int known = asked.in_tree ? trunk : asked.bounded_by;
    if (known < 0) return std::nullopt;
    const bool from_a = depth[at(network.trunks[at(known)].a)] < depth[at(network.trunks[at(known)].b)];
    return TrunkLoad{plan.loads[at(trunk_link(network, known, from_a))],
                     plan.loads[at(trunk_link(network, known, !from_a))], !asked.in_tree};
}

/// Each trunk from its end nearer to the root downwards, so that Graphviz puts the root's switch on top.
std::string trunks(const Network& network, const Plan& plan) {
    const std::vector<int> depth = switch_depths(network, network.machines[at(plan.request.root)].sw);
    std::string text;
    for (int t = 0; t < static_cast<int>(network.trunks.size()); ++t) {
        const Trunk& trunk = network.trunks[at(t)];
        const bool from_a = depth[at(trunk.a)] < depth[at(trunk.b)];
        const LinkId down = trunk_link(network, t, from_a);
        std::string style = "style=dotted, color=\"#bbbbbb\", constraint=false";
        if (const std::optional<TrunkLoad> load = load_of(plan, depth, network, t)) {
            style = fmt::format("penwidth=3, color=\"#999999\", fontcolor=\"#666666\", label=\"{}{:.4g} / {:.4g}\"",
                                load->is_bound ? "≤ " : "", load->down, load->up);
            if (!trunk.in_tree) style += ", constraint=false";
        }
        text += fmt::format("  {} -> {} [dir=none, {}];\n", dot_string("switch " + link_from(network, down)),
                            dot_string("switch " + link_to(network, down)), style);
    }
    return text;
}

std::vector<std::vector<int>> machines_by_switch(const Network& network, const Plan& plan) {
    std::vector<std::vector<int>> on_switch(network.switches.size());
    for (int machine : plan.order.machines) on_switch[at(network.machines[at(machine)].sw)].push_back(machine);
    return on_switch;
}

std::string machine_boxes(const Network& network, const Plan& plan) {
    const std::vector<std::vector<int>> on_switch = machines_by_switch(network, plan);
    std::string text;
    for (std::size_t sw = 0; sw < on_switch.size(); ++sw) {
        const std::string& name = network.switches[sw].name;
        text += fmt::format("  subgraph {} {{\n    label=\"\";\n    {} [label={}, shape=box, fillcolor=\"#dddddd\"];\n",
                            dot_string("cluster " + name), dot_string("switch " + name), dot_string(name));
        for (int machine : on_switch[sw]) {
            text += fmt::format("    {}{};\n", dot_string(network.machines[at(machine)].name),
                                machine == plan.request.root ? " [penwidth=3, color=\"#b2182b\"]" : "");
        }
        text += "  }\n";
    }
    return text;
}

std::string sends(const Network& network, const Plan& plan) {
    std::string text;
    for (const ShareTree& tree : plan.trees) {
        const std::vector<int> depth = depths(tree.tree);
        for (int parent = 0; parent < tree.tree.size(); ++parent) {
            for (int child : tree.tree.children[at(parent)]) {
                text += fmt::format("  {} -> {} [color=\"{}\"];\n",
                                    dot_string(network.machines[at(plan.order.machines[at(parent)])].name),
                                    dot_string(network.machines[at(plan.order.machines[at(child)])].name),
                                    colour(depth[at(parent)]));
            }
        }
    }
    if (!bcast::scatters(plan.request.tree)) return text;
    for (const auto& [from, to] : ring_edges(plan.order)) {
        text += fmt::format("  {} -> {} [style=dashed, constraint=false, color=\"{}\"];\n",
                            dot_string(network.machines[at(from)].name), dot_string(network.machines[at(to)].name),
                            depth_colours.back());
    }
    return text;
}

/// Too many machines to draw: each switch with the number of its machines, and how many sends go from switch to switch.
std::string switch_boxes_and_sends(const Network& network, const Plan& plan) {
    const std::vector<std::vector<int>> on_switch = machines_by_switch(network, plan);
    const int root_switch = network.machines[at(plan.request.root)].sw;
    std::string text;
    for (std::size_t sw = 0; sw < on_switch.size(); ++sw) {
        const std::string& name = network.switches[sw].name;
        text += fmt::format("  {} [label={}, shape=box{}];\n", dot_string("switch " + name),
                            dot_string(fmt::format("{}: {} machine{}", name, on_switch[sw].size(),
                                                   on_switch[sw].size() == 1 ? "" : "s")),
                            static_cast<int>(sw) == root_switch ? ", penwidth=3, color=\"#b2182b\"" : "");
    }
    std::map<std::pair<int, int>, int> between;
    for (const ShareTree& tree : plan.trees) {
        for (const auto& [from, to] : machine_edges(plan.order, tree.tree)) {
            ++between[{network.machines[at(from)].sw, network.machines[at(to)].sw}];
        }
    }
    for (const auto& [switches, count] : between) {
        if (switches.first == switches.second) continue;
        text += fmt::format("  {} -> {} [color=\"{}\"{}];\n",
                            dot_string("switch " + network.switches[at(switches.first)].name),
                            dot_string("switch " + network.switches[at(switches.second)].name), depth_colours.back(),
                            count > 1 ? fmt::format(", label=\"{}\"", count) : "");
    }
    return text;
}

std::string title(const Network& network, const Plan& plan) {
    const bcast::Tree& tree = plan.trees.front().tree;
    return fmt::format("{}: {}{} from {}, {} machines, height {}, fan-out {}, stage {:.4g}, {}", network.name,
                       bcast::tree_name_of(plan.request.tree), bcast::scatters(plan.request.tree) ? "" : " tree",
                       network.machines[at(plan.request.root)].name, plan.order.size(), height_of(tree), fanout(tree),
                       plan.stage, plan.contention_free ? "contention-free" : "NOT contention-free");
}

}  // namespace

std::string plan_dot(const Network& network, const Plan& plan) {
    std::string text = fmt::format("digraph {} {{\n", dot_string(network.name));
    text +=
        "  // grey: trunks, with their load away from the root and back; colours: the tree's sends, by the sender's "
        "depth\n";
    text += fmt::format("  graph [label={}, labelloc=t, fontname=\"sans-serif\", style=\"rounded,filled\",\n",
                        dot_string(title(network, plan)));
    text += "         color=\"#bbbbbb\", fillcolor=\"#f5f5f5\", ranksep=0.35, nodesep=0.15];\n";
    text += "  node [fontname=\"sans-serif\", fontsize=12, style=filled, fillcolor=white, height=0.3, width=0.5,\n";
    text += "        margin=\"0.06,0.03\"];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=11, arrowsize=0.7, penwidth=1.4];\n";
    if (plan.order.size() <= most_machines_drawn) {
        text += machine_boxes(network, plan) + trunks(network, plan) + sends(network, plan);
    } else {
        text += switch_boxes_and_sends(network, plan) + trunks(network, plan);
    }
    return text + "}\n";
}

}  // namespace bcastgen
