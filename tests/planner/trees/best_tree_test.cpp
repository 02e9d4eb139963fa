// Orders that mix a switch's machines with the subtrees below it, and the lower trees that they allow.
#include "planner/trees/best_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "bcast/trees/kary_tree.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/trees/arrangement.hpp"
#include "planner/trees/paper_tree.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

struct Scene {
    Network network;
    std::vector<int> members;  // the first is the root
};

Scene random_scene(int most_machines) {
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    const int machines = 1 + below(most_machines);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    Scene scene{random_network(machines, 1 + below(most_machines), shape, below(3) == 0, random), {}};
    scene.members.resize(static_cast<std::size_t>(machines));
    std::iota(scene.members.begin(), scene.members.end(), 0);
    std::shuffle(scene.members.begin(), scene.members.end(), random);
    if (below(2) == 0) scene.members.resize(1 + static_cast<std::size_t>(below(machines)));
    return scene;
}

/// The interleaved arrangement with every switch's items shuffled, the root still first.
bcast::Order shuffled_order(const Scene& scene) {
    Arrangement arrangement = interleaved_arrangement(layout_of(scene.network), scene.members, scene.members.front());
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    for (std::size_t sw = 0; sw < arrangement.items.size(); ++sw) {
        auto& items = arrangement.items[sw];
        std::shuffle(items.begin() + (static_cast<int>(sw) == arrangement.root_switch ? 1 : 0), items.end(), random);
    }
    return arranged_order(arrangement);
}

LoadProof prove(const Scene& scene, const bcast::Order& order, const bcast::Tree& tree) {
    return prove_load(scene.network, scene.members, scene.members.front(), {{1.0, machine_edges(order, tree)}});
}

TEST(Arrangement, PutsAMachineBeforeEachSubtreeLargestFirst) {
    // s0: m0 m1 m2, and below it s1: m3, s2: m4 m5 m6, s3 without machines
    const Network network = make_network(4, {{0, 1}, {0, 2}, {0, 3}}, {0, 0, 0, 1, 2, 2, 2});
    const bcast::Order order = arranged_order(interleaved_arrangement(layout_of(network), {6, 5, 4, 3, 2, 1, 0}, 1));
    EXPECT_EQ(order.machines, (std::vector<int>{1, 4, 5, 6, 2, 3, 0}));
    ASSERT_EQ(order.subtrees.size(), 3U);
    EXPECT_EQ(order.subtrees[1].first, 1);
    EXPECT_EQ(order.subtrees[1].last, 3);
    EXPECT_EQ(order.subtrees[2].first, 5);
    EXPECT_EQ(order.subtrees[2].last, 5);
    EXPECT_EQ(order.innermost, (std::vector<int>{0, 1, 1, 1, 0, 2, 0}));
}

RC_GTEST_PROP(Arrangement, LinearTreeAndItsClosingEdgeAreContentionFreeInAnySequence, ()) {
    const Scene scene = random_scene(60);
    const bcast::Order order = shuffled_order(scene);
    Transmissions ring{1.0, machine_edges(order, bcast::linear_tree(order.size()))};
    if (order.size() > 1) ring.edges.emplace_back(order.machines.back(), order.machines.front());
    const LoadProof proof = prove_load(scene.network, scene.members, scene.members.front(), {ring});
    RC_ASSERT(proof.contention_free);
    RC_ASSERT(order.machines.front() == scene.members.front());
}

RC_GTEST_PROP(Arrangement, KaryTreesAreContentionFreeAndNeverAboveThePapersInAnySequence, ()) {
    const Scene scene = random_scene(50);
    const bcast::Order order = shuffled_order(scene);
    for (int radix : {2, 3, 5}) {
        const bcast::Tree tree = bcast::kary_tree(order, radix);
        const LoadProof proof = prove(scene, order, tree);
        RC_ASSERT((proof.covers && proof.contention_free && fanout(tree) <= radix));
    }
    RC_ASSERT(height_of(bcast::kary_tree(order, 2)) <= height_of(paper_tree(scene.network, order, 2)));
}

/// Whether the best tree over the scene is contention-free, and no higher than the fast one.
bool best_keeps_its_promise(const Scene& scene, int radix) {
    const int root = scene.members.front();
    const OrderedTree best = best_tree(layout_of(scene.network), scene.members, root, radix);
    const LoadProof proof = prove(scene, best.order, best.tree);
    const bcast::Order order = bcast::depth_first_order(layout_of(scene.network), scene.members, root);
    return proof.covers && proof.contention_free && fanout(best.tree) <= radix &&
           height_of(best.tree) <= height_of(bcast::kary_tree(order, radix));
}

RC_GTEST_PROP(BestTree, IsContentionFreeAndNeverAboveTheFastOne, ()) {
    const Scene scene = random_scene(16);
    RC_ASSERT(best_keeps_its_promise(scene, *rc::gen::inRange(1, 5)));
}

TEST(BestTree, IsContentionFreeAndNeverAboveTheFastOneUpToTwoHundredMachines) {
    std::mt19937 random(7);
    for (int shape = 0; shape < static_cast<int>(Shape::count); ++shape) {
        // some switches without machines; one machine on each; many on each
        for (const auto& [machines, switches] : {std::pair(30, 45), std::pair(80, 80), std::pair(200, 25)}) {
            const bool even = switches == machines;
            Scene scene{random_network(machines, switches, static_cast<Shape>(shape), even, random), {}};
            scene.members.resize(static_cast<std::size_t>(machines));
            std::iota(scene.members.begin(), scene.members.end(), 0);
            std::shuffle(scene.members.begin(), scene.members.end(), random);
            EXPECT_TRUE(best_keeps_its_promise(scene, 2 + shape % 3))
                << "shape " << shape << ", " << machines << " machines, " << switches << " switches";
        }
    }
}

TEST(BestTree, IsCompleteOnARowOfSwitchesWhereTheDepthFirstOrderIsOneHigher) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m / 8);
    const Network network = make_network(4, {{0, 1}, {1, 2}, {2, 3}}, machine_switch);
    PlanRequest request;
    EXPECT_EQ(height_of(make_plan(network, request).trees.front().tree), 6);
    request.builder = Builder::best;
    const Plan plan = make_plan(network, request);
    EXPECT_EQ(height_of(plan.trees.front().tree), 5);
    EXPECT_TRUE(plan.contention_free);
    EXPECT_DOUBLE_EQ(plan.stage, 2);
}

TEST(BestTree, IsSeveralLowerOnALargeRandomNetworkAndTheSameEachTime) {
    std::mt19937 random(1);
    const Network network = random_network(512, 64, Shape::random_links, false, random);
    PlanRequest request;
    const int fast = height_of(make_plan(network, request).trees.front().tree);
    request.builder = Builder::best;
    const Plan best = make_plan(network, request);
    EXPECT_LE(height_of(best.trees.front().tree), fast - 3);
    EXPECT_EQ(make_plan(network, request).order.machines, best.order.machines);
}

}  // namespace
}  // namespace bcastgen
