#include "planner/grid/grid_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

std::size_t index(int number) {
    return static_cast<std::size_t>(number);
}

/// The switches that can be reached from `from` without the trunk.
std::set<int> side_of(const Network& network, int from, std::size_t without) {
    std::set<int> side{from};
    for (bool grew = true; grew;) {
        grew = false;
        for (std::size_t t = 0; t < network.trunks.size(); ++t) {
            const Trunk& trunk = network.trunks[t];
            if (t == without || side.count(trunk.a) == side.count(trunk.b)) continue;
            side.insert({trunk.a, trunk.b});
            grew = true;
        }
    }
    return side;
}

/// What all rows (columns) send from side a of the trunk to side b: each edge of each tree is looked at by itself.
double walked_load(const Network& network, const GridRequest& request, GridLine line, int root, std::size_t trunk,
                   bool from_a) {
    const std::set<int> side_a = side_of(network, network.trunks[trunk].a, trunk);
    double load = 0;
    for (int number = 0; number < lines_of(request.grid, line); ++number) {
        const std::vector<int> machines = machines_of_line(request.grid, request.mapping, line, number);
        PlanRequest one = request.plan;
        one.root = machines[index(root)];
        const std::set<int> distinct(machines.begin(), machines.end());
        one.machines.assign(distinct.begin(), distinct.end());
        const Plan plan = make_plan(network, one);
        for (const ShareTree& tree : plan.trees) {
            for (const auto& [from, to] : machine_edges(plan.order, tree.tree)) {
                const bool starts = side_a.count(network.machines[index(from)].sw) != 0;
                const bool ends = side_a.count(network.machines[index(to)].sw) != 0;
                if (starts == from_a && ends != from_a) load += tree.share;
            }
        }
    }
    return load;
}

TEST(GridPlan, LoadsAreTheSumOfTheBroadcasts) {
    std::mt19937 random(7);
    for (int round = 0; round < 24; ++round) {
        const auto shape = static_cast<testing::Shape>(round % static_cast<int>(testing::Shape::count));
        const Network network = testing::random_network(12, 2 + round % 4, shape, false, random);
        GridRequest request{{3, 4}, {}, {}};
        for (int rank = 0; rank < 12; ++rank) request.mapping.push_back(round % 3 == 0 ? rank / 2 : rank);
        std::shuffle(request.mapping.begin(), request.mapping.end(), random);
        request.plan.tree = round % 2 == 0 ? bcast::Algorithm::two_tree : bcast::Algorithm::binary;
        request.root_position = 2;
        const GridPlan plan = plan_grid(network, request);
        for (std::size_t trunk = 0; trunk < network.trunks.size(); ++trunk) {
            for (const bool from_a : {true, false}) {
                const std::size_t link = index(trunk_link(network, static_cast<int>(trunk), from_a));
                EXPECT_DOUBLE_EQ(plan.rows.loads[link], walked_load(network, request, GridLine::row, 2, trunk, from_a));
                EXPECT_DOUBLE_EQ(plan.columns.loads[link],
                                 walked_load(network, request, GridLine::column, 2, trunk, from_a));
            }
        }
    }
}

/// The star of four switches with eight machines each, machine i on switch i mod 4.
Network star_of_32() {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m % 4);
    return testing::make_network(4, {{0, 1}, {0, 2}, {0, 3}}, machine_switch);
}

TEST(GridPlan, TheWorstRootPositionCounts) {
    const Network network = star_of_32();
    const Slots slots{in_natural_order(network, {}), 1};
    GridRequest request{{4, 8}, mapping_by_name(network, {4, 8}, slots), request_of(bcast::Algorithm::linear)};
    const GridPlan all = plan_grid(network, request);
    EXPECT_DOUBLE_EQ(all.rows.stage, 4);
    EXPECT_DOUBLE_EQ(all.rows.stage_alone, 1);
    EXPECT_DOUBLE_EQ(all.rows.factor(), 4);
    EXPECT_DOUBLE_EQ(all.columns.factor(), 1);
    EXPECT_EQ(all.rows.broadcasts, 4);
    double worst = 0;
    for (int root = 0; root < 8; ++root) {
        request.root_position = root;
        const GridPlan one = plan_grid(network, request);
        worst = std::max(worst, one.rows.stage);
        for (std::size_t link = 0; link < all.rows.loads.size(); ++link) {
            EXPECT_LE(one.rows.loads[link], all.rows.loads[link]);
            EXPECT_LE(one.columns.loads[link], all.columns.loads[link]);
        }
    }
    EXPECT_DOUBLE_EQ(worst, all.rows.stage);
    request.root_position = 9;  // of rows position 1, of columns too
    const GridPlan ninth = plan_grid(network, request);
    request.root_position = 1;
    EXPECT_EQ(plan_grid(network, request).rows.loads, ninth.rows.loads);
}

TEST(GridPlan, RowsOnOneMachineSendNothing) {
    const Network network = testing::make_network(2, {{0, 1}}, {0, 1});
    const GridPlan plan = plan_grid(network, {{2, 2}, {0, 0, 1, 1}, {}});
    EXPECT_EQ(plan.rows.across_machines, 0);
    EXPECT_DOUBLE_EQ(plan.rows.stage, 0);
    EXPECT_EQ(plan.columns.across_machines, 2);
    EXPECT_DOUBLE_EQ(plan.columns.stage, 2);  // both columns cross the trunk
    EXPECT_THROW((void)plan_grid(network, {{2, 2}, {0, 1}, {}}), std::invalid_argument);
}

}  // namespace
}  // namespace bcastgen
