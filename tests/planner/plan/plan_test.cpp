#include "planner/plan/plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "planner/trees/height_bounds.hpp"
#include "planner/trees/paper_tree.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

PlanRequest request(bcast::Algorithm tree, int root = 0, int radix = 2) {
    PlanRequest result;
    result.tree = tree;
    result.root = root;
    result.radix = radix;
    return result;
}

/// The star of four switches with eight machines each, machine i on switch i mod 4.
Network dealt_star() {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m % 4);
    return make_network(4, {{0, 1}, {0, 2}, {0, 3}}, machine_switch);
}

struct Expected {
    bcast::Algorithm tree;
    int radix;
    int height;
    int fanout;
    double stage;
    bool contention_free;
};

TEST(Plan, FiguresOfEveryTreeOnOneSwitch) {
    const Network network = make_network(1, {}, std::vector<int>(16, 0));
    for (const Expected& expected :
         {Expected{bcast::Algorithm::linear, 1, 15, 1, 1, true}, Expected{bcast::Algorithm::binary, 2, 4, 2, 2, true},
          Expected{bcast::Algorithm::kary3, 3, 3, 3, 3, true}, Expected{bcast::Algorithm::flat, 15, 1, 15, 15, true},
          Expected{bcast::Algorithm::binomial, 4, 4, 4, 4, true}}) {
        const Plan plan = make_plan(network, request(expected.tree, 5, 3));
        SCOPED_TRACE(bcast::tree_name_of(expected.tree));
        EXPECT_EQ(plan.request.radix, expected.radix);
        EXPECT_EQ(plan.order.machines.front(), 5);
        EXPECT_EQ(height_of(plan.trees.front().tree), expected.height);
        EXPECT_EQ(plan.height_lower_bound, expected.height);
        EXPECT_EQ(fanout(plan.trees.front().tree), expected.fanout);
        EXPECT_DOUBLE_EQ(plan.stage, expected.stage);
        EXPECT_EQ(plan.contention_free, expected.contention_free);
        EXPECT_DOUBLE_EQ(root_sends(plan), expected.fanout);
    }
}

TEST(Plan, BothAlgorithmsFindTheLeastHeightOnTheDealtStar) {
    for (Builder builder : {Builder::fast, Builder::paper}) {
        PlanRequest binary = request(bcast::Algorithm::binary);
        binary.builder = builder;
        const Plan plan = make_plan(dealt_star(), binary);
        EXPECT_EQ(height_of(plan.trees.front().tree), 5);
        EXPECT_DOUBLE_EQ(plan.stage, 2);
        EXPECT_TRUE(plan.contention_free);
    }
}

TEST(Plan, ServesSubsetsOfTheMachinesInAnySequence) {
    PlanRequest linear = request(bcast::Algorithm::linear, 9);
    linear.machines = {30, 9, 2, 3, 5};
    const Plan plan = make_plan(dealt_star(), linear);
    EXPECT_EQ(plan.order.machines, (std::vector<int>{9, 5, 2, 30, 3}));
    EXPECT_EQ(plan.request.machines, (std::vector<int>{2, 3, 5, 9, 30}));
    EXPECT_DOUBLE_EQ(plan.stage, 1);
    linear.machines = {9};
    EXPECT_DOUBLE_EQ(make_plan(dealt_star(), linear).stage, 0);
}

TEST(Plan, RefusesRequestsThatMakeNoSense) {
    const Network network = dealt_star();
    EXPECT_THROW((void)make_plan(network, request(bcast::Algorithm::linear, 32)), std::invalid_argument);
    EXPECT_THROW((void)make_plan(network, request(bcast::Algorithm::linear, -1)), std::invalid_argument);
    EXPECT_THROW((void)make_plan(network, request(bcast::Algorithm::kary3, 0, -1)), std::invalid_argument);
    EXPECT_THROW((void)make_plan(network, request(bcast::Algorithm::multicast)), std::invalid_argument);
    EXPECT_THROW((void)make_plan(network, request(bcast::Algorithm::native)), std::invalid_argument);
    PlanRequest subset = request(bcast::Algorithm::linear, 3);
    subset.machines = {1, 2};
    EXPECT_THROW((void)make_plan(network, subset), std::invalid_argument);
    subset.machines = {3, 2, 3};
    EXPECT_THROW((void)make_plan(network, subset), std::invalid_argument);
    subset.machines = {3, 99};
    EXPECT_THROW((void)make_plan(network, subset), std::invalid_argument);
}

TEST(Plan, RefusesThePapersAlgorithmWhereItWouldNeverEnd) {
    const Network network = make_network(1, {}, std::vector<int>(2000, 0));
    PlanRequest binary = request(bcast::Algorithm::binary);
    binary.builder = Builder::paper;
    try {
        (void)make_plan(network, binary);
        FAIL() << "2000 machines were planned";
    } catch (const TooLarge& error) {
        EXPECT_STREQ(error.what(),
                     "the paper's algorithm would take about 1e+09 steps for 2000 machines and radix 2 (limit 3e+08); "
                     "use --algorithm fast, whose tree is never higher");
    }
}

TEST(HeightLowerBound, IsTheClosedForm) {
    for (int machines = 1; machines <= 5000; ++machines) {
        EXPECT_EQ(height_lower_bound(bcast::Algorithm::binary, machines, 2), std::ilogb(machines));
        for (int radix = 3; radix <= 5; ++radix) {
            const double exact = std::log(machines * (radix - 1) + 1) / std::log(radix);
            const int closed_form = static_cast<int>(std::ceil(exact - 1e-9)) - 1;
            EXPECT_EQ(height_lower_bound(bcast::Algorithm::kary3, machines, radix), closed_form)
                << machines << " " << radix;
        }
    }
    EXPECT_EQ(height_lower_bound(bcast::Algorithm::linear, 7, 1), 6);
    EXPECT_EQ(height_lower_bound(bcast::Algorithm::kary3, 7, 1), 6);
    EXPECT_EQ(height_lower_bound(bcast::Algorithm::flat, 7, 6), 1);
    EXPECT_EQ(height_lower_bound(bcast::Algorithm::flat, 1, 1), 0);
    for (int machines = 1; machines <= 200; ++machines) {
        const std::vector<int> twos(static_cast<std::size_t>(machines), 2);
        EXPECT_EQ(two_tree_height_lower_bound(twos), height_lower_bound(bcast::Algorithm::two_tree, machines, 2))
            << machines;
    }
    EXPECT_EQ(two_tree_height_lower_bound({4, 2, 2}), 1);
    EXPECT_EQ(two_tree_height_lower_bound({2, 2, 4, 2, 2, 2}), 2);  // 0 -> 2 -> the others
    EXPECT_EQ(two_tree_height_lower_bound({2, 2, 4, 2, 2, 2, 2}), 3);
}

TEST(HeightLowerBound, HoldsForEveryTree) {
    std::mt19937 random(7);
    for (int machines = 1; machines <= 70; ++machines) {
        const Network network = testing::random_network(machines, 5, testing::Shape::random_links, false, random);
        for (bcast::Algorithm tree : {bcast::Algorithm::linear, bcast::Algorithm::binary, bcast::Algorithm::kary3,
                                      bcast::Algorithm::latency, bcast::Algorithm::flat, bcast::Algorithm::binomial}) {
            const Plan plan = make_plan(network, request(tree, machines / 2, 3));
            EXPECT_GE(height_of(plan.trees.front().tree), plan.height_lower_bound)
                << bcast::tree_name_of(tree) << " " << machines;
            EXPECT_LE(fanout(plan.trees.front().tree), plan.request.radix)
                << bcast::tree_name_of(tree) << " " << machines;
        }
    }
}

}  // namespace
}  // namespace bcastgen
