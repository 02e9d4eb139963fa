// The two-tree over random networks of every shape: proved by the load checker.
#include "bcast/two_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "plan.hpp"
#include "random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

Plan two_tree_plan(const Network& network, int root) {
    PlanRequest request;
    request.tree = TreeKind::two_tree;
    request.root = root;
    return make_plan(network, request);
}

int highest(const Plan& plan) {
    return std::max(height_of(plan.trees[0].tree), height_of(plan.trees[1].tree));
}

int most_sends(const Plan& plan) {
    std::size_t most = 0;
    for (std::size_t position = 0; position < plan.trees[0].tree.children.size(); ++position) {
        most =
            std::max(most, plan.trees[0].tree.children[position].size() + plan.trees[1].tree.children[position].size());
    }
    return static_cast<int>(most);
}

RC_GTEST_PROP(TwoTree, LoadsNoLinkAboveOneOnAnyTreeOfSwitches, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 1 + below(80);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    const Network network = random_network(machines, 1 + below(60), shape, below(2) == 0, random);
    const Plan plan = two_tree_plan(network, below(machines));  // throws if it fails its proof
    RC_ASSERT(plan.trees.size() == 2U);
    RC_ASSERT(plan.contention_free);
    RC_ASSERT(*std::max_element(plan.loads.begin(), plan.loads.end()) <= 1.0);
    RC_ASSERT(machines == 1 || plan.stage == 1.0);
    RC_ASSERT(most_sends(plan) <= 2);
    RC_ASSERT(highest(plan) >= plan.height_lower_bound);
}

TEST(TwoTree, MeetsItsHeightBoundOnOneSwitch) {
    for (int machines = 1; machines <= 300; ++machines) {
        const Network network = make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
        const Plan plan = two_tree_plan(network, machines / 2);
        EXPECT_EQ(highest(plan), plan.height_lower_bound) << machines << " machines";
    }
}

TEST(TwoTree, StaysNearItsHeightBoundOnRandomTreesOfSwitches) {
    std::mt19937 random(5);
    for (const int per_switch : {8, 16}) {
        for (const int machines : {32, 64, 128, 256, 512, 1024, 1024, 1024}) {
            const Network network = random_network(machines, machines / per_switch, Shape::random_links, false, random);
            const Plan plan = two_tree_plan(network, static_cast<int>(random() % static_cast<unsigned>(machines)));
            EXPECT_LE(highest(plan), 1.6 * plan.height_lower_bound) << machines << " machines, " << per_switch;
        }
    }
}

// A tree that goes down a chain switch by switch is at least as high as the chain is long.
TEST(TwoTree, IsLowerThanALongChainIsLong) {
    std::mt19937 random(6);
    const Network network = random_network(800, 200, Shape::chain, true, random);
    EXPECT_LE(highest(two_tree_plan(network, 0)), 100);
}

TEST(TwoTree, StaysNearItsHeightBoundOnAStarOfSwitches) {
    std::mt19937 random(7);
    for (const int machines : {16, 32, 64, 128, 256}) {
        const Network network = random_network(machines, machines / 8, Shape::star, true, random);
        const Plan plan = two_tree_plan(network, 0);
        EXPECT_LE(highest(plan), 1.6 * plan.height_lower_bound) << machines << " machines";
    }
}

}  // namespace
}  // namespace bcastgen
