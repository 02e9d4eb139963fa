#include "planner/print/placement_formats.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/json_lines.hpp"
#include "base/wording.hpp"
#include "planner/print/grid_formats.hpp"
#include "planner/print/switch_drawing.hpp"

namespace bcastgen {

namespace {

std::string cost_text(double cost) {
    return fmt::format("{:.4g}", cost);
}

}  // namespace

std::string placement_text(const Network& network, const GridPlacement& placement) {
    const GridRequest& placed = placement.mappings.front().plan.request;
    const std::set<int> machines(placed.mapping.begin(), placed.mapping.end());
    std::string text =
        fmt::format("{}: {} x {} grid of {} placed on {}\n\n", network.name, placed.grid.rows, placed.grid.columns,
                    counted(placed.mapping.size(), "rank", "ranks"), counted(machines.size(), "machine", "machines"));
    const std::string tree = bcast::tree_name_of(placed.plan.tree);
    std::vector<Row> rows{{"mapping", "rows", "columns", "sum", fmt::format("{}: rows", tree), "columns", "sum"}};
    for (const ComparedMapping& mapping : placement.mappings) {
        const GridPlan& plan = mapping.plan;
        rows.push_back({mapping.name, cost_text(mapping.cost.rows), cost_text(mapping.cost.columns),
                        cost_text(mapping.cost.sum(placement.weights)), cost_text(plan.rows.stage),
                        cost_text(plan.columns.stage),
                        cost_text(GridCost{plan.rows.stage, plan.columns.stage}.sum(placement.weights))});
    }
    rows.push_back({"bound", "", "", cost_text(placement.bound.sum(placement.weights))});
    text += text_table(rows);
    const Weights& weights = placement.weights;
    text += fmt::format(
        "  rows, columns: messages that cross a trunk at the same time over its width, at least 1; then the stages of\n"
        "  the loads proved, for the worst root position; sum: {}; all in T(m). The bound is the least that any sum "
        "is.\n",
        weights.rows == weights.columns
            ? "of both"
            : fmt::format("{} x rows + {} x columns", cost_text(weights.rows), cost_text(weights.columns)));
    return text + "\n  switch of each rank, row by row\n" + draw_grid(network, placed.grid, placed.mapping);
}

std::string placement_json(const Network& network, const GridPlacement& placement) {
    const GridRequest& placed = placement.mappings.front().plan.request;
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const int machine : placed.mapping) names.push_back(network.machines[at(machine)].name);
    nlohmann::ordered_json mappings = nlohmann::ordered_json::array();
    for (const ComparedMapping& mapping : placement.mappings) {
        mappings.push_back({{"name", mapping.name},
                            {"rows", mapping.cost.rows},
                            {"columns", mapping.cost.columns},
                            {"sum", mapping.cost.sum(placement.weights)},
                            {"rows_stage", mapping.plan.rows.stage},
                            {"columns_stage", mapping.plan.columns.stage}});
    }
    return json_lines({{"format", "bcastgen-placement/1"},
                       {"topology", network.name},
                       {"tree", bcast::tree_name_of(placed.plan.tree)},
                       {"grid_rows", placed.grid.rows},
                       {"grid_columns", placed.grid.columns},
                       {"mapping", std::move(names)},
                       {"mappings", std::move(mappings)},
                       {"weights", {placement.weights.rows, placement.weights.columns}},
                       {"bound", placement.bound.sum(placement.weights)}});
}

}  // namespace bcastgen
