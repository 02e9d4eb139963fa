#include "planner/grid/crossings.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <vector>

#include "base/index.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

Cuts::Cuts(const Network& network, const Slots& slots) : above_switch_(network.switches.size()) {
    for (const Machine& machine : network.machines) machine_switch_.push_back(machine.sw);
    const SwitchTree tree = shown_tree(network);
    const std::vector<int> top_down = switches_top_down(tree);
    std::vector<int> places(network.switches.size(), 0);
    for (const int machine : slots.machines) places[at(machine_switch_[at(machine)])] += slots.ranks_per_machine;
    for (auto sw = top_down.rbegin(); sw != top_down.rend(); ++sw) {
        if (*sw != tree.root) places[at(parent_of(network, tree, *sw))] += places[at(*sw)];
    }
    const std::vector<LinkSpeed> speeds = planned_speeds(network);
    const double reference_Bps = reference_bandwidth_Bps(network, slots.machines);
    for (const int sw : top_down) {
        if (sw == tree.root) continue;
        const std::vector<int>& upwards = above_switch_[at(parent_of(network, tree, sw))];
        std::vector<int>& own = above_switch_[at(sw)];
        const int trunk = tree.parent_trunk[at(sw)];
        const int elsewhere = slots.count() - places[at(sw)];
        if (places[at(sw)] > 0 && elsewhere > 0) {
            own.push_back(static_cast<int>(cuts_.size()));
            cuts_.push_back({trunk, upwards.empty() ? -1 : upwards.front(),
                             speeds[at(trunk)].bandwidth_Bps / reference_Bps, places[at(sw)], elsewhere});
        }
        own.insert(own.end(), upwards.begin(), upwards.end());
    }
}

const std::vector<int>& Cuts::above(int machine) const {
    return above_switch_[at(machine_switch_[at(machine)])];
}

std::vector<int> crossings(const Cuts& cuts, const Grid& grid, const Mapping& mapping, GridLine line) {
    std::vector<int> crossing(cuts.all().size(), 0);
    std::vector<int> below(cuts.all().size(), 0);
    for (int number = 0; number < lines_of(grid, line); ++number) {
        std::fill(below.begin(), below.end(), 0);
        for (const int machine : machines_of_line(grid, mapping, line, number)) {
            for (const int cut : cuts.above(machine)) ++below[at(cut)];
        }
        for (std::size_t cut = 0; cut < below.size(); ++cut) {
            if (below[cut] > 0 && below[cut] < length_of(grid, line)) ++crossing[cut];
        }
    }
    return crossing;
}

GridCost cost_of(const Cuts& cuts, const Grid& grid, const Mapping& mapping) {
    GridCost cost;
    const std::vector<int> rows = crossings(cuts, grid, mapping, GridLine::row);
    const std::vector<int> columns = crossings(cuts, grid, mapping, GridLine::column);
    for (std::size_t cut = 0; cut < rows.size(); ++cut) {
        cost.rows = std::max(cost.rows, rows[cut] / cuts.all()[cut].width);
        cost.columns = std::max(cost.columns, columns[cut] / cuts.all()[cut].width);
    }
    return cost;
}

namespace {

constexpr double cost_rounding = 1e-9;

/// The largest number of ranks, up to `most`, that can be below a cut with at most so many rows and columns on both of
/// its sides.
///
/// Say a side is thin if it has neither a whole row nor a whole column. Then all rows and columns that its cells lie in
/// are on both sides, and so there are rows x columns of its cells at most. If neither side is thin, both have whole
/// rows, and then every column is on both sides, or both have whole columns, and every row is.
int most_below(const Grid& grid, int most, int rows, int columns) {
    const long long thin = static_cast<long long>(rows) * columns;
    if (most <= thin || grid.ranks() - most <= thin) return most;
    int below = static_cast<int>(thin);
    if (columns >= grid.columns) below = std::max(below, rows > 0 ? most : most - most % grid.columns);
    if (rows >= grid.rows) below = std::max(below, columns > 0 ? most : most - most % grid.rows);
    return below;
}

/// Whether it cannot be ruled out that some mapping costs no more.
bool may_cost(const Cuts& cuts, const Grid& grid, const GridCost& cost) {
    const auto crossing = [](double cost_limit, double width, int lines) {
        return static_cast<int>(std::min(cost_limit * width * (1 + cost_rounding), static_cast<double>(lines)));
    };
    std::vector<long long> room;  // by cut, and at last of all: for ranks
    for (const Cut& cut : cuts.all()) room.push_back(cut.places);
    room.push_back(cuts.all().empty() ? grid.ranks() : cuts.all().front().places + cuts.all().front().places_else);
    for (std::size_t i = cuts.all().size(); i-- > 0;) {
        const Cut& cut = cuts.all()[i];
        const int most = static_cast<int>(std::min<long long>(room[i], grid.ranks()));
        const int below = most_below(grid, most, crossing(cost.rows, cut.width, grid.rows),
                                     crossing(cost.columns, cut.width, grid.columns));
        (cut.above < 0 ? room.back() : room[at(cut.above)]) -= cut.places - below;
    }
    return room.back() >= grid.ranks();
}

/// What so many rows, or columns, can cost, in rising order.
std::vector<double> possible_costs(const Cuts& cuts, int lines) {
    std::set<double> widths;
    for (const Cut& cut : cuts.all()) widths.insert(cut.width);
    std::set<double> costs{1.0};
    for (const double width : widths) {
        for (int crossing = 1; crossing <= lines; ++crossing) costs.insert(std::max(1.0, crossing / width));
    }
    return {costs.begin(), costs.end()};
}

}  // namespace

GridCost cost_lower_bound(const Cuts& cuts, const Grid& grid, const Weights& weights) {
    const std::vector<double> columns_costs = possible_costs(cuts, grid.columns);
    std::size_t columns = columns_costs.size();  // the more rows may cost, the less columns must
    GridCost least{std::numeric_limits<double>::infinity(), 1};
    for (const double rows_cost : possible_costs(cuts, grid.rows)) {
        while (columns > 0 && may_cost(cuts, grid, {rows_cost, columns_costs[columns - 1]})) --columns;
        if (columns == columns_costs.size()) continue;
        const GridCost cost{rows_cost, columns_costs[columns]};
        if (cost.sum(weights) < least.sum(weights) * (1 - cost_rounding)) least = cost;
    }
    return least;
}

}  // namespace bcastgen
