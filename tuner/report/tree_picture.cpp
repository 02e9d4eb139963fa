#include "tuner/report/tree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "planner/network/switch_depths.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/print/graphviz_svg.hpp"
#include "planner/print/proof_scope.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_switches_drawn = 100;
constexpr std::size_t most_labelled_trunks = 16;
constexpr std::size_t most_in_a_row = 8;

struct TreeLook {
    const char* colour;  // Okabe and Ito's, for colour-blind readers
    const char* name;
    const char* style;
};
constexpr std::array<TreeLook, 2> looks{{{"#0072B2", "blue", "solid"}, {"#D55E00", "orange, dashed", "dashed"}}};
constexpr const char* ring_colour = "#009E73";

const std::string& name_of_machine(const Network& network, int machine) {
    return network.machines[at(machine)].name;
}

int switch_of(const Network& network, int machine) {
    return network.machines[at(machine)].sw;
}

constexpr int left_out = -1;

/// By switch: whether it holds machines that take part or lies between them.
std::vector<bool> used_switches(const Network& network, const Plan& plan) {
    std::vector<bool> used(network.switches.size(), false);
    for (const int machine : plan.order.machines) used[at(switch_of(network, machine))] = true;
    for (int t = 0; t < static_cast<int>(network.trunks.size()); ++t) {
        for (const bool from_a : {true, false}) {
            if (plan.loads[at(trunk_link(network, t, from_a))] <= 0) continue;
            used[at(network.trunks[at(t)].a)] = true;
            used[at(network.trunks[at(t)].b)] = true;
        }
    }
    return used;
}

/// By switch: the one that it is drawn as part of, itself if there are few enough. Else those that have no part in the
/// plan are left out, and the outermost fold into their neighbours until few enough are left; the root's stays.
std::vector<int> folded(const Network& network, const Plan& plan) {
    std::vector<int> shown(network.switches.size());
    std::iota(shown.begin(), shown.end(), 0);
    if (shown.size() <= most_switches_drawn) return shown;
    const std::vector<bool> used = used_switches(network, plan);
    for (std::size_t sw = 0; sw < shown.size(); ++sw) {
        if (!used[sw]) shown[sw] = left_out;
    }
    const std::vector<int> depth = switch_depths(network, switch_of(network, plan.request.root));
    const bcast::Layout layout = layout_of(network);
    const auto count = [&] {
        std::set<int> nodes(shown.begin(), shown.end());
        nodes.erase(left_out);
        return nodes.size();
    };
    for (int deepest = *std::max_element(depth.begin(), depth.end()); count() > most_switches_drawn && deepest > 0;
         --deepest) {
        for (int& sw : shown) {
            if (sw == left_out || depth[at(sw)] != deepest) continue;
            for (const int neighbour : layout.neighbours[at(sw)]) {
                if (depth[at(neighbour)] != deepest - 1) continue;
                sw = neighbour;
                break;
            }
        }
    }
    return shown;
}

class Drawing {
  public:
    Drawing(const Network& network, const Plan& plan)
        : network_(network),
          plan_(plan),
          root_switch_(switch_of(network, plan.request.root)),
          singly_(plan.order.size() <= most_machines_drawn_singly),
          shown_(folded(network, plan)) {}

    [[nodiscard]] bool singly() const { return singly_; }
    [[nodiscard]] std::size_t nodes() const {
        std::set<int> drawn(shown_.begin(), shown_.end());
        drawn.erase(left_out);
        return drawn.size();
    }

    [[nodiscard]] std::string dot() const {
        std::string text = fmt::format("digraph {} {{\n", dot_string(network_.name));
        text += "  graph [fontname=\"sans-serif\", bgcolor=transparent, style=\"rounded,filled\", color=\"#bbbbbb\",\n";
        text +=
            "         fillcolor=\"#f4f4f4\", ranksep=0.4, nodesep=0.14, newrank=true, overlap=false, splines=true, "
            "sep=\"+8\"];\n";
        text += "  node [fontname=\"sans-serif\", fontsize=12, shape=ellipse, style=filled, fillcolor=white,\n";
        text += "        height=0.28, width=0.46, margin=\"0.05,0.02\"];\n";
        text += "  edge [fontname=\"sans-serif\", fontsize=11, arrowsize=0.65, penwidth=1.6];\n";
        return text + (singly_ ? machines() : switches()) + trunks() + (singly_ ? sends() : sends_between_switches()) +
               "}\n";
    }

  private:
    [[nodiscard]] std::string switch_node(int sw) const {
        return dot_string("switch " + network_.switches[at(shown_[at(sw)])].name);
    }
    [[nodiscard]] std::string machine_node(int machine) const {
        return dot_string("machine " + name_of_machine(network_, machine));
    }

    [[nodiscard]] std::vector<std::vector<int>> machines_by_switch() const {
        std::vector<std::vector<int>> on_switch(network_.switches.size());
        for (const int machine : plan_.order.machines) {
            on_switch[at(shown_[at(switch_of(network_, machine))])].push_back(machine);
        }
        return on_switch;
    }

    [[nodiscard]] std::string machines() const {
        const auto on_switch = machines_by_switch();
        std::string text;
        for (int sw = 0; sw < static_cast<int>(on_switch.size()); ++sw) {
            if (shown_[at(sw)] != sw) continue;
            const std::string& name = network_.switches[at(sw)].name;
            text += fmt::format("  subgraph {} {{\n", dot_string("cluster " + name));
            text += alone() ? fmt::format("    label={}; labeljust=l; fontsize=12;\n", dot_string(alone_text(name)))
                            : fmt::format("    {} [label={}, shape=box, fillcolor=\"#d9d9d9\"];\n", switch_node(sw),
                                          dot_string(name));
            for (const int machine : on_switch[at(sw)]) {
                text += fmt::format("    {} [label={}{}];\n", machine_node(machine),
                                    dot_string(name_of_machine(network_, machine)),
                                    machine == plan_.request.root ? ", penwidth=3" : "");
            }
            text += rows(on_switch[at(sw)]) + "  }\n";
        }
        return text;
    }

    /// With one switch there are no trunks, and its node would hang on nothing: the box round the machines is the
    /// switch.
    [[nodiscard]] bool alone() const { return network_.switches.size() == 1; }

    /// "switch s0, a cable of 100Mbit/s to each machine"
    [[nodiscard]] std::string alone_text(const std::string& name) const {
        double slowest_Bps = std::numeric_limits<double>::max();
        double fastest_Bps = 0;
        for (const int machine : plan_.order.machines) {
            const double port_Bps = network_.machines[at(machine)].port.bandwidth_Bps;
            slowest_Bps = std::min(slowest_Bps, port_Bps);
            fastest_Bps = std::max(fastest_Bps, port_Bps);
        }
        std::string speed = format_bandwidth(fastest_Bps);
        if (slowest_Bps < fastest_Bps) speed = format_bandwidth(slowest_Bps) + " to " + speed;
        return fmt::format("switch {}, a cable of {} to each machine", name, speed);
    }

    /// Chains go from side to side: one below the other their machines would make a picture of many pages.
    [[nodiscard]] std::string rows(const std::vector<int>& machines) const {
        if (plan_.trees.size() > 1 || bcast::scatters(plan_.request.tree) || fanout(plan_.trees.front().tree) > 1)
            return "";
        std::string text;
        for (std::size_t i = 0; i < machines.size(); ++i) {
            text += i % most_in_a_row == 0 ? (i == 0 ? "    { rank=same;" : " }\n    { rank=same;") : "";
            text += " " + machine_node(machines[i]) + ";";
        }
        return machines.empty() ? "" : text + " }\n";
    }

    [[nodiscard]] std::string switches() const {
        const auto on_switch = machines_by_switch();
        std::vector<int> behind(shown_.size(), 0);
        for (const int sw : shown_) {
            if (sw != left_out) ++behind[at(sw)];
        }
        std::string text;
        for (int sw = 0; sw < static_cast<int>(on_switch.size()); ++sw) {
            if (shown_[at(sw)] != sw) continue;
            std::string label = network_.switches[at(sw)].name;
            if (behind[at(sw)] > 1) label += fmt::format(" + {}", counted(behind[at(sw)] - 1, "switch", "switches"));
            std::string quoted = dot_string(label);
            if (!on_switch[at(sw)].empty())
                quoted.insert(quoted.size() - 1, "\\n" + counted(on_switch[at(sw)].size(), "machine", "machines"));
            text += fmt::format("  {} [label={}, shape=box, fillcolor=\"{}\"{}];\n", switch_node(sw), quoted,
                                on_switch[at(sw)].empty() ? "#d9d9d9" : "white",
                                sw == shown_[at(root_switch_)] ? ", penwidth=3" : "");
        }
        return text;
    }

    /// From the end nearer to the root down, so that Graphviz puts the root's switch on top.
    [[nodiscard]] std::string trunks() const {
        const std::vector<int> depth = switch_depths(network_, root_switch_);
        const bool labelled = singly_ && network_.trunks.size() <= most_labelled_trunks;
        std::string text;
        for (int t = 0; t < static_cast<int>(network_.trunks.size()); ++t) {
            const Trunk& trunk = network_.trunks[at(t)];
            const int a = shown_[at(trunk.a)];
            const int b = shown_[at(trunk.b)];
            if (a == b || a == left_out || b == left_out) continue;
            const bool from_a = depth[at(trunk.a)] < depth[at(trunk.b)];
            std::string style = "style=dotted, color=\"#aaaaaa\", constraint=false";
            if (trunk.bounded_by >= 0) style = "penwidth=4, color=\"#bdbdbd\", constraint=false";
            if (trunk.in_tree) style = "penwidth=4, color=\"#bdbdbd\"";
            if (trunk.in_tree && labelled) {
                style += fmt::format(", fontcolor=\"#555555\", label=\"{}{}\\nload {:.4g} / {:.4g}\"",
                                     trunk.cables > 1 ? fmt::format("{} × ", trunk.cables) : "",
                                     format_bandwidth(trunk.speed.bandwidth_Bps),
                                     plan_.loads[at(trunk_link(network_, t, from_a))],
                                     plan_.loads[at(trunk_link(network_, t, !from_a))]);
            }
            text += fmt::format("  {} -> {} [dir=none, {}];\n", switch_node(from_a ? trunk.a : trunk.b),
                                switch_node(from_a ? trunk.b : trunk.a), style);
        }
        return text;
    }

    [[nodiscard]] std::string sends() const {
        std::string text;
        for (std::size_t tree = 0; tree < plan_.trees.size(); ++tree) {
            const TreeLook& look = looks[std::min(tree, looks.size() - 1)];
            for (const auto& [from, to] : machine_edges(plan_.order, plan_.trees[tree].tree)) {
                // The first tree alone decides who stands above whom; both would leave no order at all.
                text += fmt::format("  {} -> {} [color=\"{}\", style={}{}];\n", machine_node(from), machine_node(to),
                                    look.colour, look.style, tree > 0 ? ", constraint=false" : "");
            }
        }
        if (!bcast::scatters(plan_.request.tree)) return text;
        for (const auto& [from, to] : ring_edges(plan_.order)) {
            text += fmt::format("  {} -> {} [style=dashed, constraint=false, color=\"{}\"];\n", machine_node(from),
                                machine_node(to), ring_colour);
        }
        return text;
    }

    [[nodiscard]] std::string between_switches(const std::vector<std::pair<int, int>>& edges, const char* colour,
                                               const char* style) const {
        std::map<std::pair<int, int>, int> counts;
        for (const auto& [from, to] : edges) {
            const int a = shown_[at(switch_of(network_, from))];
            const int b = shown_[at(switch_of(network_, to))];
            if (a != b) ++counts[{a, b}];
        }
        std::string text;
        for (const auto& [ends, count] : counts) {
            text += fmt::format("  {} -> {} [color=\"{}\", style={}{}];\n", switch_node(ends.first),
                                switch_node(ends.second), colour, style,
                                count > 1 ? fmt::format(", fontcolor=\"{}\", label=\" {}\"", colour, count) : "");
        }
        return text;
    }

    [[nodiscard]] std::string sends_between_switches() const {
        std::string text;
        for (std::size_t tree = 0; tree < plan_.trees.size(); ++tree) {
            const TreeLook& look = looks[std::min(tree, looks.size() - 1)];
            text += between_switches(machine_edges(plan_.order, plan_.trees[tree].tree), look.colour, look.style);
        }
        if (bcast::scatters(plan_.request.tree))
            text += between_switches(ring_edges(plan_.order), ring_colour, "dashed");
        return text;
    }

    const Network& network_;
    const Plan& plan_;
    int root_switch_;
    bool singly_;
    std::vector<int> shown_;
};

std::string caption_of(const Network& network, const Plan& plan, const Drawing& drawing) {
    int tallest = 0;
    int widest = 0;
    for (const ShareTree& tree : plan.trees) {
        tallest = std::max(tallest, height_of(tree.tree));
        widest = std::max(widest, fanout(tree.tree));
    }
    std::string text =
        fmt::format("{} from {} (thick): height {}, fan-out {}, stage {:.4g}, {}{}. ",
                    counted(plan.order.size(), "machine", "machines"), name_of_machine(network, plan.request.root),
                    tallest, widest, plan.stage, plan.contention_free ? "contention-free" : "not contention-free",
                    plan.contention_free ? proof_scope(network) : "");
    if (plan.trees.size() > 1) {
        text += fmt::format("Each tree carries a half of the message: {} the first, {} the second. ", looks[0].name,
                            looks[1].name);
    } else if (bcast::scatters(plan.request.tree)) {
        text += "Blue: scatter; green, dashed: the ring that passes the blocks on. ";
    } else {
        text += "Blue: who sends to whom. ";
    }
    if (!network.trunks.empty()) text += "Grey: trunks";
    if (!network.trunks.empty() && drawing.singly() && network.trunks.size() <= most_labelled_trunks) {
        text += ", with the load that the plan puts on them away from the root and back";
    }
    if (!network.trunks.empty()) text += ". ";
    if (!drawing.singly())
        text += "Each switch stands for its machines; arrows are sends between switches, a number how many. ";
    return text;
}

}  // namespace

std::optional<PlanRequest> tree_of(const std::string& algorithm) {
    const std::optional<bcast::Algorithm> known = algorithm_called(algorithm);
    if (!known) return std::nullopt;
    if (bcast::is_arrival_aware(*known)) return request_of(bcast::usual::chain);
    if (!bcast::has_plan(*known)) return std::nullopt;
    return request_of(*known);
}

TreePicture tree_picture(const Network& network, const Plan& plan) {
    const Drawing drawing(network, plan);
    TreePicture picture;
    picture.caption = caption_of(network, plan, drawing);
    const bool one_box = !drawing.singly() && drawing.nodes() < 2;
    if (!one_box) picture.svg = graph_svg(drawing.dot(), drawing.singly() ? "dot" : "neato");
    return picture;
}

}  // namespace bcastgen
