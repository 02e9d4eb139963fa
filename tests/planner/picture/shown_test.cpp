// What pictures leave out they count: every machine is in them once, whatever is folded.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "planner/network/spanning_tree.hpp"
#include "planner/picture/shown_boxes.hpp"
#include "planner/picture/shown_switches.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

Plan plan_of_all(const Network& network, bcast::Algorithm tree) {
    PlanRequest request;
    request.tree = tree;
    return make_plan(network, request);
}

/// Boxes below one that stands for several are there as often.
std::size_t machines_in(const std::vector<ShownBox>& boxes) {
    std::vector<std::size_t> times(boxes.size(), 1);
    std::size_t all = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (i > 0) {
            const auto above = static_cast<std::size_t>(boxes[i].above);
            EXPECT_LT(above, i);
            times[i] = times[above] * boxes[above].alike;
        }
        all += times[i] * (boxes[i].machines.size() + boxes[i].alike * boxes[i].left_out);
    }
    return all;
}

std::size_t machines_on(const std::vector<ShownSwitch>& switches) {
    std::vector<std::size_t> times(switches.size(), 1);
    std::size_t all = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
        const ShownSwitch& one = switches[i];
        if (i > 0) {
            const auto above = static_cast<std::size_t>(one.above);
            EXPECT_LT(above, i);
            times[i] = times[above] * switches[above].alike;
        }
        all += times[i] * (one.names.empty() ? one.below : one.alike * one.machines);
    }
    return all;
}

TEST(Shown, EveryMachineIsInTheBoxesAndOnTheSwitches) {
    std::mt19937 random(11);
    for (int round = 0; round < 60; ++round) {
        const int machines = 1 << (round % 10);
        const int switches = 1 + static_cast<int>(random() % 70);
        const auto shape = static_cast<Shape>(round % static_cast<int>(Shape::count));
        const Network network = random_network(machines, switches, shape, round % 3 == 0, random);
        for (const bcast::Algorithm tree : {bcast::Algorithm::linear, bcast::Algorithm::binary, bcast::Algorithm::flat,
                                            bcast::Algorithm::two_tree, bcast::Algorithm::latency}) {
            const Plan plan = plan_of_all(network, tree);
            for (std::size_t one = 0; one < plan.trees.size(); ++one) {
                const std::vector<ShownBox> boxes = shown_boxes(network, plan, one);
                EXPECT_EQ(machines_in(boxes), network.machines.size()) << bcast::name_of(tree);
                EXPECT_LE(boxes.size(), 28U);
            }
            const ShownSwitches shown = shown_switches(network, plan);
            EXPECT_EQ(machines_on(shown.shown), network.machines.size());
            EXPECT_LE(shown.shown.size(), 24U);
        }
    }
}

TEST(Shown, WhatIsAlikeIsOne) {
    std::vector<std::pair<int, int>> star;
    std::vector<int> on;
    for (int rack = 1; rack <= 30; ++rack) {
        star.emplace_back(0, rack);
        for (int m = 0; m < 4; ++m) on.push_back(rack);
    }
    const Network network = make_network(31, star, on);
    const ShownSwitches shown = shown_switches(network, plan_of_all(network, bcast::Algorithm::flat));
    ASSERT_EQ(shown.shown.size(), 3U);  // the root's rack, the core, and 29 others
    EXPECT_EQ(shown.shown[2].alike, 29U);
    EXPECT_EQ(shown.shown[2].machines, 4U);
    EXPECT_EQ(shown.shown[2].load, "4 / 0");
    const Plan plan = plan_of_all(network, bcast::Algorithm::flat);
    const std::vector<ShownBox> boxes = shown_boxes(network, plan, 0);
    ASSERT_EQ(boxes.size(), 2U);  // the root, and all others, which are alike
    EXPECT_EQ(boxes[1].alike, 119U);
    EXPECT_EQ(boxes[1].switches.size(), 30U);
}

TEST(Shown, SwitchesOfAFoldedClosStandForTheirLevel) {
    std::string yaml = "name: t\nswitches:\n";
    std::string links = "links:\n";
    for (int leaf = 0; leaf < 4; ++leaf) {
        yaml += "  l" + std::to_string(leaf) + ": {machines: \"n" + std::to_string(leaf) + "-[0-1]\"}\n";
        for (int spine = 0; spine < 3; ++spine)
            links += "  - {between: [l" + std::to_string(leaf) + ", x" + std::to_string(spine) + "]}\n";
    }
    for (int spine = 0; spine < 3; ++spine) yaml += "  x" + std::to_string(spine) + ":\n";
    const Network clos = read_topology(yaml + links, "t.yaml");
    ASSERT_TRUE(is_folded_clos(clos));
    const ShownSwitches shown = shown_switches(clos, plan_of_all(clos, bcast::Algorithm::two_tree));
    ASSERT_EQ(shown.shown.size(), 5U);
    EXPECT_EQ(shown.shown[1].names, (std::vector<std::string>{"x0", "x1", "x2"}));
    EXPECT_TRUE(shown.idle.empty());
    for (std::size_t i = 1; i < shown.shown.size(); ++i) {
        EXPECT_EQ(shown.shown[i].speed, "3 × 1Gbit/s");
        EXPECT_EQ(shown.shown[i].load.substr(0, std::string("≤ ").size()), "≤ ");
        EXPECT_NE(shown.shown[i].load, "≤ 0 / 0");
    }
}

}  // namespace
}  // namespace bcastgen
