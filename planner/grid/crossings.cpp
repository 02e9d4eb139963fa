#include "planner/grid/crossings.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <tuple>

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
            cuts_.push_back({trunk, speeds[at(trunk)].bandwidth_Bps / reference_Bps, places[at(sw)], elsewhere});
        }
        own.insert(own.end(), upwards.begin(), upwards.end());
    }
}

const std::vector<int>& Cuts::above(int machine) const {
    return above_switch_[at(machine_switch_[at(machine)])];
}

std::vector<int> crossings(const Cuts& cuts, const Grid& grid, const Mapping& mapping, Line line) {
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
    const std::vector<int> rows = crossings(cuts, grid, mapping, Line::row);
    const std::vector<int> columns = crossings(cuts, grid, mapping, Line::column);
    for (std::size_t cut = 0; cut < rows.size(); ++cut) {
        cost.rows = std::max(cost.rows, rows[cut] / cuts.all()[cut].width);
        cost.columns = std::max(cost.columns, columns[cut] / cuts.all()[cut].width);
    }
    return cost;
}

namespace {

constexpr double rounding = 1e-9;

/// The fewest columns with ranks on both sides where at most `rows` rows have, and `below` ranks are on one side.
///
/// Say a side is thin if it has neither a whole row nor a whole column. Its cells lie in rows and columns that are all
/// on both sides, and so there are rows x columns of them at most. If neither side is thin, both have whole rows, and
/// then every column is on both sides, or both have whole columns, and every row is.
int fewest_columns(const Grid& grid, int below, int rows) {
    const int elsewhere = grid.ranks() - below;
    const int thin = std::min(below, elsewhere);
    if (thin == 0) return 0;
    int fewest = std::numeric_limits<int>::max();
    if (rows > 0) {
        const int columns = (thin + rows - 1) / rows;
        if (columns <= grid.columns) fewest = columns;
    }
    if (rows >= (below % grid.columns == 0 ? 0 : 1)) fewest = std::min(fewest, grid.columns);
    if (rows >= grid.rows) fewest = std::min(fewest, below % grid.rows == 0 ? 0 : 1);
    return fewest;
}

/// The first multiple of `unit` from `first` on, or `first` where it is beyond `last`.
int multiple_within(int unit, int first, int last) {
    const int multiple = (first + unit - 1) / unit * unit;
    return multiple <= last ? multiple : first;
}

/// The same for each number of rows, where a cut leaves open how many ranks are below it: fewest where one side has as
/// few as it may, or whole rows or columns.
std::vector<int> fewest_columns_by_rows(const Grid& grid, const Cut& cut) {
    std::vector<int> fewest(at(grid.rows + 1), std::numeric_limits<int>::max());
    const int first = std::max(0, grid.ranks() - cut.places_else);
    const int last = std::min(cut.places, grid.ranks());
    for (int rows = 0; rows <= grid.rows; ++rows) {
        for (const int below :
             {first, last, multiple_within(grid.columns, first, last), multiple_within(grid.rows, first, last)}) {
            fewest[at(rows)] = std::min(fewest[at(rows)], fewest_columns(grid, below, rows));
        }
    }
    return fewest;
}

/// A cut, and what it asks for.
struct Demand {
    double width;
    std::vector<int> columns_by_rows;
};

/// Cuts that ask for the same are looked at once.
std::vector<Demand> demands_of(const Cuts& cuts, const Grid& grid) {
    std::set<std::tuple<double, int, int>> seen;
    std::vector<Demand> demands;
    for (const Cut& cut : cuts.all()) {
        if (!seen.insert({cut.width, cut.places, cut.places_else}).second) continue;
        demands.push_back({cut.width, fewest_columns_by_rows(grid, cut)});
    }
    return demands;
}

}  // namespace

GridCost cost_lower_bound(const Cuts& cuts, const Grid& grid) {
    const std::vector<Demand> demands = demands_of(cuts, grid);
    std::set<double> row_costs{1.0};
    for (const Demand& demand : demands) {
        for (int rows = 1; rows <= grid.rows; ++rows) row_costs.insert(std::max(1.0, rows / demand.width));
    }
    GridCost least{std::numeric_limits<double>::infinity(), 0};
    for (const double rows_cost : row_costs) {
        GridCost cost{rows_cost, 1};
        for (const Demand& demand : demands) {
            const double fitting = rows_cost * demand.width * (1 + rounding);
            const int rows = fitting >= grid.rows ? grid.rows : static_cast<int>(fitting);
            const int columns = demand.columns_by_rows[at(rows)];
            cost.columns = columns == std::numeric_limits<int>::max() ? std::numeric_limits<double>::infinity()
                                                                      : std::max(cost.columns, columns / demand.width);
        }
        if (cost.sum() < least.sum() * (1 - rounding)) least = cost;
    }
    return least;
}

}  // namespace bcastgen
