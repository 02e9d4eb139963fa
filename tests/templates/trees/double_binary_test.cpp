// The double binary tree: its shape exhaustively, its load over random networks as the load checker sees it.
#include "bcast/trees/double_binary.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/trees/height_bounds.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

constexpr bcast::Algorithm double_binary = bcast::Algorithm::double_binary;

/// "0: 8; 8: 4; …", positions without children left out.
std::string text_of(const bcast::Tree& tree) {
    std::string text;
    for (std::size_t position = 0; position < tree.children.size(); ++position) {
        if (tree.children[position].empty()) continue;
        text += (text.empty() ? "" : "; ") + std::to_string(position) + ":";
        for (const int child : tree.children[position]) text += " " + std::to_string(child);
    }
    return text;
}

/// Whether every position hangs from position 0.
bool reaches_all(const bcast::Tree& tree) {
    std::vector<int> to_visit{0};
    std::size_t visited = 0;
    while (!to_visit.empty() && visited <= tree.parent.size()) {
        const auto at = static_cast<std::size_t>(to_visit.back());
        to_visit.pop_back();
        ++visited;
        to_visit.insert(to_visit.end(), tree.children[at].begin(), tree.children[at].end());
    }
    return visited == tree.parent.size();
}

TEST(DoubleBinary, IsTheOneOfThePicture) {
    const auto nine = bcast::double_binary(9);
    EXPECT_EQ(text_of(nine[0]), "0: 8; 2: 1 3; 4: 2 6; 6: 5 7; 8: 4");
    EXPECT_EQ(text_of(nine[1]), "0: 1; 1: 5; 3: 4 2; 5: 7 3; 7: 8 6");
    const auto six = bcast::double_binary(6);  // an odd number below the root: shifted
    EXPECT_EQ(text_of(six[0]), "0: 4; 2: 1 3; 4: 2 5");
    EXPECT_EQ(text_of(six[1]), "0: 3; 1: 5 2; 3: 1 4");
    EXPECT_EQ(text_of(bcast::double_binary(1)[1]), "");
    EXPECT_EQ(text_of(bcast::double_binary(2)[1]), "0: 1");
}

TEST(DoubleBinary, ReachesAllWithTwoChildrenInOneTreeAtMost) {
    for (int machines = 1; machines <= 1000; ++machines) {
        const auto trees = bcast::double_binary(machines);
        for (const bcast::Tree& tree : trees) {
            ASSERT_EQ(tree.size(), machines);
            ASSERT_TRUE(reaches_all(tree)) << machines;
            ASSERT_LE(fanout(tree), 2) << machines;
            ASSERT_LE(height_of(tree), floor_log2(machines) + 1) << machines;
            ASSERT_EQ(tree.children[0].size(), machines == 1 ? 0U : 1U);
        }
        for (std::size_t position = 1; position < trees[0].children.size(); ++position) {
            ASSERT_TRUE(trees[0].children[position].empty() || trees[1].children[position].empty())
                << position << " of " << machines << " sends in both trees";
        }
    }
}

TEST(DoubleBinary, CostsOneMessageOnOneSwitch) {
    for (int machines = 2; machines <= 100; ++machines) {
        const Network network = make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
        PlanRequest request = request_of(double_binary);
        request.root = machines / 3;
        const Plan plan = make_plan(network, request);
        EXPECT_TRUE(plan.contention_free) << machines;
        EXPECT_DOUBLE_EQ(plan.stage, 1) << machines;
        EXPECT_DOUBLE_EQ(root_sends(plan), 1) << machines;
        EXPECT_GE(std::max(height_of(plan.trees[0].tree), height_of(plan.trees[1].tree)), plan.height_lower_bound);
    }
}

// Ports carry the message once whatever the network; trunks as often as the sequence of the machines makes them.
RC_GTEST_PROP(DoubleBinary, LoadsPortsOnceAndTrunksAsItComes, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(80);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    const Network network = random_network(machines, 1 + below(40), shape, below(2) == 0, random);
    PlanRequest request = request_of(double_binary);
    request.root = below(machines);
    const Plan plan = make_plan(network, request);
    const auto ports = plan.loads.begin() + 2 * machines;
    RC_ASSERT(*std::max_element(plan.loads.begin(), ports) == 1.0);
    RC_ASSERT(plan.contention_free == (plan.stage <= 1.0));
    RC_ASSERT(plan.stage == *std::max_element(plan.loads.begin(), plan.loads.end()));
}

TEST(DoubleBinary, TakesTheMachinesByNumberFromTheRootOn) {
    // The network lists them switch by switch; blind to that, m2 comes after m1.
    Network network = make_network(2, {{0, 1}}, {0, 0, 1, 1});
    network.machines[0].name = "m0";
    network.machines[1].name = "m2";
    network.machines[2].name = "m1";
    network.machines[3].name = "m10";
    PlanRequest request = request_of(double_binary);
    request.root = 2;
    EXPECT_EQ(make_plan(network, request).order.machines, (std::vector<int>{2, 1, 3, 0}));
}

}  // namespace
}  // namespace bcastgen
