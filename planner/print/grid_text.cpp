#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/wording.hpp"
#include "planner/print/grid_formats.hpp"
#include "planner/print/switch_drawing.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_grid_trunks = 12;
constexpr int most_grid_lines = 32;

/// With no more digits than it needs.
std::string sum_text(double value) {
    return fmt::format("{:.4g}", value);
}

std::string grid_heading(const Network& network, const GridPlan& plan) {
    const GridRequest& request = plan.request;
    const std::set<int> machines(request.mapping.begin(), request.mapping.end());
    return fmt::format("{}: {} x {} grid of {} on {}, loads of {}, {}\n", network.name, request.grid.rows,
                       request.grid.columns, counted(request.mapping.size(), "rank", "ranks"),
                       counted(machines.size(), "machine", "machines"), bcast::tree_name_of(request.plan.tree),
                       request.root_position ? fmt::format("from position {}", *request.root_position)
                                             : "from the worst root position");
}

std::string sums_text(const char* name, const SharedLoads& sums, int length) {
    std::string text = fmt::format("  {:<8} {} to {}", name, counted(sums.broadcasts, "broadcast", "broadcasts"),
                                   counted(length, "rank", "ranks"));
    if (sums.across_machines == 0) return text + ", each on one machine\n";
    text += fmt::format(": stage {} together, {} alone", sum_text(sums.stage), sum_text(sums.stage_alone));
    if (sums.factor() > 1) text += fmt::format(", {} times as long", sum_text(sums.factor()));
    return text + fmt::format("; worst from position {}\n", sums.worst_root);
}

/// "4 (2)": load, and of how many broadcasts it is.
std::string load_text(const SharedLoads& sums, LinkId link) {
    if (sums.loads[at(link)] == 0) return "-";
    return fmt::format("{} ({})", sum_text(sums.loads[at(link)]), sums.shared_by[at(link)]);
}

std::vector<int> trunks_by_load(const Network& network, const GridPlan& plan) {
    std::vector<std::pair<double, int>> hottest;
    for (int trunk = 0; at(trunk) < network.trunks.size(); ++trunk) {
        double most = 0;
        for (const LinkId link : {trunk_link(network, trunk, true), trunk_link(network, trunk, false)}) {
            const double load = plan.rows.loads[at(link)] + plan.columns.loads[at(link)];
            most = std::max(most, load / link_bandwidth_Bps(network, link));
        }
        if (network.trunks[at(trunk)].in_tree || most > 0) hottest.emplace_back(-most, trunk);
    }
    if (hottest.size() > most_grid_trunks) std::stable_sort(hottest.begin(), hottest.end());
    std::vector<int> trunks;
    for (const auto& [load, trunk] : hottest) trunks.push_back(trunk);
    return trunks;
}

std::string trunk_lines(const Network& network, const GridPlan& plan) {
    const std::vector<int> trunks = trunks_by_load(network, plan);
    if (trunks.empty()) return "";
    std::vector<Row> rows{{"trunk", "rows →", "←", "columns →", "←"}};
    for (std::size_t i = 0; i < std::min(trunks.size(), most_grid_trunks); ++i) {
        const LinkId forth = trunk_link(network, trunks[i], true);
        const LinkId back = trunk_link(network, trunks[i], false);
        rows.push_back({fmt::format("{} ─ {}", link_from(network, forth), link_to(network, forth)),
                        load_text(plan.rows, forth), load_text(plan.rows, back), load_text(plan.columns, forth),
                        load_text(plan.columns, back)});
    }
    std::string text = "\n" + text_table(rows);
    if (trunks.size() > most_grid_trunks) {
        text += fmt::format("  … {} more trunks, none with more load\n", trunks.size() - most_grid_trunks);
    }
    return text + "  load (of how many broadcasts); the trunk's load is their sum\n";
}

}  // namespace

std::string draw_grid(const Network& network, const Grid& grid, const Mapping& mapping) {
    std::vector<Row> rows;
    for (int row = 0; row < std::min(grid.rows, most_grid_lines); ++row) {
        rows.emplace_back();
        for (int column = 0; column < std::min(grid.columns, most_grid_lines); ++column) {
            const int machine = mapping[at(row * grid.columns + column)];
            rows.back().push_back(network.switches[at(network.machines[at(machine)].sw)].name);
        }
        if (grid.columns > most_grid_lines) rows.back().emplace_back("…");
    }
    if (grid.rows > most_grid_lines) rows.push_back({"…"});
    return text_table(rows);
}

std::string grid_text(const Network& network, const GridPlan& plan) {
    const Grid& grid = plan.request.grid;
    return grid_heading(network, plan) + sums_text("rows", plan.rows, grid.columns) +
           sums_text("columns", plan.columns, grid.rows) + trunk_lines(network, plan) +
           "\n  switch of each rank, row by row\n" + draw_grid(network, grid, plan.request.mapping);
}

}  // namespace bcastgen
