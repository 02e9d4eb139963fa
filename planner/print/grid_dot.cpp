#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/index.hpp"
#include "base/wording.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/picture/graphviz_svg.hpp"
#include "planner/print/grid_formats.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_grid_machines_drawn = 200;
constexpr double widest_trunk = 8;                  // points
constexpr std::size_t most_switches_drawn = 2'000;  // about 15 s

using RanksOf = std::map<int, std::vector<int>>;  // by machine

RanksOf ranks_of(const Mapping& mapping) {
    RanksOf ranks;
    for (std::size_t rank = 0; rank < mapping.size(); ++rank) ranks[mapping[rank]].push_back(static_cast<int>(rank));
    return ranks;
}

/// A machine under the (row, column) of its ranks.
std::string rank_box(const Network& network, const Grid& grid, int machine, const std::vector<int>& ranks) {
    std::string places;
    for (const int rank : ranks) places += fmt::format("\n({}, {})", grid.row_of(rank), grid.column_of(rank));
    const std::string& name = network.machines[at(machine)].name;
    return fmt::format("    {} [label={}];\n", dot_string("machine " + name), dot_string(name + places));
}

std::string switch_box(const Network& network, const GridPlan& plan, const RanksOf& ranks, int sw, bool with_machines) {
    const std::string& name = network.switches[at(sw)].name;
    std::string boxes;
    std::size_t count = 0;
    for (const auto& [machine, of_machine] : ranks) {
        if (network.machines[at(machine)].sw != sw) continue;
        count += of_machine.size();
        if (with_machines) boxes += rank_box(network, plan.request.grid, machine, of_machine);
    }
    if (!with_machines) {
        return fmt::format("  {} [label={}, shape=box];\n", dot_string("switch " + name),
                           dot_string(fmt::format("{}: {}", name, counted(count, "rank", "ranks"))));
    }
    return fmt::format(
        "  subgraph {} {{\n    label=\"\";\n    {} [label={}, shape=box, fillcolor=\"#dddddd\"];\n{}  }}\n",
        dot_string("cluster " + name), dot_string("switch " + name), dot_string(name), boxes);
}

std::string grid_trunks(const Network& network, const GridPlan& plan) {
    const SwitchTree tree = shown_tree(network);
    const double worst = std::max({plan.rows.stage, plan.columns.stage, 1.0});
    const double reference_Bps = reference_bandwidth_Bps(network, plan.request.mapping);
    const std::vector<double> rows = link_stages(network, plan.rows.loads, reference_Bps);
    const std::vector<double> columns = link_stages(network, plan.columns.loads, reference_Bps);
    std::string text;
    for (const int sw : switches_top_down(tree)) {
        const int trunk = tree.parent_trunk[at(sw)];
        if (trunk < 0) continue;
        const bool from_a = network.trunks[at(trunk)].b == sw;
        const LinkId down = trunk_link(network, trunk, from_a);
        const LinkId up = trunk_link(network, trunk, !from_a);
        const double stage = std::max({rows[at(down)], rows[at(up)], columns[at(down)], columns[at(up)]});
        text += fmt::format(
            "  {} -> {} [dir=none, penwidth={:.1f}, color=\"{}\", label=\"rows {:.4g} / {:.4g}\\ncolumns {:.4g} / "
            "{:.4g}\"];\n",
            dot_string("switch " + link_from(network, down)), dot_string("switch " + network.switches[at(sw)].name),
            std::max(1.0, widest_trunk * stage / worst), stage > 1 ? "#d6604d" : "#999999", plan.rows.loads[at(down)],
            plan.rows.loads[at(up)], plan.columns.loads[at(down)], plan.columns.loads[at(up)]);
    }
    return text;
}

std::string grid_title(const Network& network, const GridPlan& plan) {
    return fmt::format(
        "{}: {} x {} grid, {} trees\nrows: stage {:.4g} together, {:.4g} alone; columns: {:.4g} "
        "together, {:.4g} alone",
        network.name, plan.request.grid.rows, plan.request.grid.columns, bcast::tree_name_of(plan.request.plan.tree),
        plan.rows.stage, plan.rows.stage_alone, plan.columns.stage, plan.columns.stage_alone);
}

}  // namespace

std::string grid_dot(const Network& network, const GridPlan& plan) {
    const RanksOf ranks = ranks_of(plan.request.mapping);
    std::string text = fmt::format("digraph {} {{\n", dot_string(network.name));
    text +=
        "  // machines with the (row, column) of their ranks; trunks with what all rows' and all columns' broadcasts\n";
    text += "  // load down / up, red where that takes longer than a machine's port\n";
    text += fmt::format("  graph [label={}, labelloc=t, fontname=\"sans-serif\", style=\"rounded,filled\",\n",
                        dot_string(grid_title(network, plan)));
    text += "         color=\"#bbbbbb\", fillcolor=\"#f5f5f5\", ranksep=0.6, nodesep=0.15];\n";
    text += "  node [fontname=\"sans-serif\", fontsize=12, style=filled, fillcolor=white, height=0.3, width=0.5,\n";
    text += "        margin=\"0.06,0.03\"];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=11];\n";
    for (int sw = 0; at(sw) < network.switches.size(); ++sw) {
        text += switch_box(network, plan, ranks, sw, ranks.size() <= most_grid_machines_drawn);
    }
    return text + grid_trunks(network, plan) + "}\n";
}

std::string grid_svg(const Network& network, const GridPlan& plan) {
    if (network.switches.size() > most_switches_drawn) {
        throw InputErrors({{"--format", 0, 0,
                            fmt::format("svg: {} has {} switches, and laying out more than {} takes minutes; --format "
                                        "dot gives the graph for a faster layout, such as sfdp",
                                        network.name, network.switches.size(), most_switches_drawn),
                            ""}});
    }
    return graph_svg(grid_dot(network, plan));
}

}  // namespace bcastgen
