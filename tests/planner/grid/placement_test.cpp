#include "planner/grid/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "planner/grid/tiles.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

/// The least cost of all mappings: machines of one switch are alike, so that each rank is tried on each switch.
class EveryMapping {
  public:
    EveryMapping(const Network& network, const Cuts& cuts, const PlacementRequest& request)
        : cuts_(cuts), grid_(request.grid), weights_(request.weights) {
        const Slots& slots = request.slots;
        for (const int machine : slots.machines) {
            const int sw = network.machines[static_cast<std::size_t>(machine)].sw;
            machine_of_[sw] = machine;
            left_[sw] += slots.ranks_per_machine;
        }
    }

    double least() {
        map_next();
        return least_;
    }

  private:
    void map_next() {
        if (static_cast<int>(mapping_.size()) == grid_.ranks()) {
            least_ = std::min(least_, cost_of(cuts_, grid_, mapping_).sum(weights_));
            return;
        }
        for (auto& [sw, left] : left_) {
            if (left == 0) continue;
            --left;
            mapping_.push_back(machine_of_[sw]);
            map_next();
            mapping_.pop_back();
            ++left;
        }
    }

    const Cuts& cuts_;
    Grid grid_;
    Weights weights_;
    std::map<int, int> machine_of_;
    std::map<int, int> left_;
    Mapping mapping_;
    double least_ = 1e300;
};

Slots every_place(const Network& network, int ranks_per_machine = 1) {
    return {in_natural_order(network, {}), ranks_per_machine};
}

constexpr Grid small_grids[] = {{2, 2}, {2, 3}, {3, 2}, {2, 4}, {3, 3}, {1, 6}};

/// On small trees of every shape, with trunks of several widths, free places and several ranks on a machine.
TEST(Placement, IsTheBestOfAllMappingsAndNoneIsBelowTheBound) {
    std::mt19937 random(11);
    double bounds = 0;
    double least_costs = 0;
    for (int round = 0; round < 192; ++round) {
        const Grid grid = small_grids[static_cast<std::size_t>(round) % std::size(small_grids)];
        const auto shape = static_cast<testing::Shape>(round % static_cast<int>(testing::Shape::count));
        const int ranks_per_machine = 1 + round % 5 / 4;
        const int machines = (grid.ranks() + round % 3 + ranks_per_machine - 1) / ranks_per_machine;
        Network network = testing::random_network(machines, 2 + round % 3, shape, false, random);
        for (Trunk& trunk : network.trunks) {
            trunk.speed.bandwidth_Bps *= std::uniform_int_distribution<int>(1, 4)(random) / 2.0;
        }
        const Slots slots = every_place(network, ranks_per_machine);
        const Cuts cuts(network, slots);
        const int columns_weigh = 1 + round % 4 / 2;
        const PlacementRequest request{grid, slots, weights_of(1 + round % 2, columns_weigh), 1};
        const double least = EveryMapping(network, cuts, request).least();
        const double bound = cost_lower_bound(cuts, grid, request.weights).sum(request.weights);
        SCOPED_TRACE(round);
        EXPECT_LE(bound, least * (1 + 1e-9));
        EXPECT_NEAR(cost_of(cuts, grid, place_grid(network, request)).sum(request.weights), least, 1e-9);
        bounds += bound;
        least_costs += least;
    }
    EXPECT_GE(bounds, 0.9 * least_costs);  // a bound that is worth its line
}

TEST(Placement, BoundKnowsOfWholeRows) {
    Network network = testing::make_network(2, {{0, 1}}, {0, 0, 1, 1});
    network.trunks[0].speed.bandwidth_Bps /= 2;
    const Cuts cuts(network, every_place(network));
    const GridCost rows_together = cost_lower_bound(cuts, {2, 2}, weights_of(2, 1));
    EXPECT_DOUBLE_EQ(rows_together.rows, 1);
    EXPECT_DOUBLE_EQ(rows_together.columns, 4);
    const GridCost columns_together = cost_lower_bound(cuts, {2, 2}, weights_of(1, 2));
    EXPECT_DOUBLE_EQ(columns_together.rows, 4);
    EXPECT_DOUBLE_EQ(columns_together.columns, 1);
}

TEST(Placement, PutsEachRankOnAFreePlace) {
    std::mt19937 random(3);
    const Network network = testing::random_network(20, 5, testing::Shape::deep, false, random);
    Slots slots = every_place(network, 2);
    slots.machines.erase(slots.machines.begin() + 3, slots.machines.begin() + 6);
    const Mapping mapping = place_grid(network, {{5, 6}, slots, {}, 4});
    ASSERT_EQ(mapping.size(), 30U);
    for (const int machine : mapping) {
        EXPECT_LE(std::count(mapping.begin(), mapping.end(), machine), 2);
        EXPECT_EQ(std::count(slots.machines.begin(), slots.machines.end(), machine), 1);
    }
    EXPECT_EQ(mapping, place_grid(network, {{5, 6}, slots, {}, 4}));
}

/// Where tiles do not fit: switches with any number of machines.
TEST(Placement, ExchangesMeetTheBoundWhereTilesDoNot) {
    std::mt19937 random(2);
    for (int round = 0; round < 6; ++round) {
        const auto shape = static_cast<testing::Shape>(round % static_cast<int>(testing::Shape::count));
        const Network network = testing::random_network(36 + round % 3, 4 + round % 4, shape, false, random);
        if (round % 3 == 0) continue;  // tiles fit, or the bound is not met
        const PlacementRequest request{{6, 6}, every_place(network)};
        const Cuts cuts(network, request.slots);
        const double bound = cost_lower_bound(cuts, request.grid, {}).sum({});
        EXPECT_GT(cost_of(cuts, request.grid, best_tiles(network, cuts, request)).sum({}), bound);
        EXPECT_DOUBLE_EQ(cost_of(cuts, request.grid, place_grid(network, request)).sum({}), bound);
    }
}

/// Racks of 16 under a core: tiles of 4 x 4, which meet the bound.
TEST(Placement, TilesAGridOverRacks) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 128; ++m) machine_switch.push_back(1 + m / 16);
    std::vector<std::pair<int, int>> trunks;
    for (int rack = 1; rack <= 8; ++rack) trunks.emplace_back(0, rack);
    const Network network = testing::make_network(9, trunks, machine_switch);
    const Slots slots = every_place(network);
    const GridPlacement placement = compare_placements(network, {{8, 16}, slots}, request_of(bcast::Algorithm::linear));
    ASSERT_EQ(placement.mappings.size(), 4U);
    EXPECT_DOUBLE_EQ(placement.bound.sum({}), 8);
    EXPECT_DOUBLE_EQ(placement.mappings[0].cost.sum({}), 8);
    EXPECT_DOUBLE_EQ(placement.mappings[1].cost.sum({}), 17);
    EXPECT_DOUBLE_EQ(placement.mappings[2].cost.sum({}), 9);
    for (const ComparedMapping& mapping : placement.mappings) {  // a tree of load 1 costs what crosses
        EXPECT_DOUBLE_EQ(mapping.plan.rows.stage, mapping.cost.rows);
        EXPECT_DOUBLE_EQ(mapping.plan.columns.stage, mapping.cost.columns);
    }
}

/// What is counted of a mapping is what chains load, from the worst root, on any network of equal links.
TEST(Placement, CostsAreTheLoadsOfChains) {
    std::mt19937 random(5);
    for (int round = 0; round < 20; ++round) {
        const auto shape = static_cast<testing::Shape>(round % static_cast<int>(testing::Shape::count));
        const Network network = testing::random_network(12, 2 + round % 4, shape, false, random);
        const Grid grid{round % 2 == 0 ? 3 : 2, round % 2 == 0 ? 4 : 6};
        Mapping mapping(12);
        std::iota(mapping.begin(), mapping.end(), 0);
        std::shuffle(mapping.begin(), mapping.end(), random);
        const GridCost cost = cost_of(Cuts(network, every_place(network)), grid, mapping);
        const GridPlan plan = plan_grid(network, {grid, mapping, request_of(bcast::Algorithm::linear)});
        EXPECT_LE(plan.rows.stage, cost.rows);
        EXPECT_LE(plan.columns.stage, cost.columns);
        EXPECT_GE(2 * plan.rows.stage, cost.rows);
        EXPECT_GE(2 * plan.columns.stage, cost.columns);
    }
}

}  // namespace
}  // namespace bcastgen
