// The fast contention-free trees over random networks of every shape: proved by the load checker, held against the
// paper's own algorithm.
#include "bcast/trees/kary_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/trees/paper_tree.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::random_network;
using testing::Shape;

struct Scene {
    Network network;
    bcast::Order order;  // of some or all machines, from any of them
};

/// Uniform in low..high, which rapidcheck's own ranges are not: they begin small and grow.
int between(int low, int high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

/// Up to `most_machines` machines on up to as many switches, some of them empty; every other time a subset takes part.
Scene random_scene(int most_machines) {
    const int machines = between(1, most_machines);
    const int switches = between(1, most_machines);
    const auto shape = static_cast<Shape>(between(0, static_cast<int>(Shape::count) - 1));
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    Scene scene;
    scene.network = random_network(machines, switches, shape, *rc::gen::arbitrary<bool>(), random);
    std::vector<int> members(static_cast<std::size_t>(machines));
    std::iota(members.begin(), members.end(), 0);
    std::shuffle(members.begin(), members.end(), random);
    if (*rc::gen::arbitrary<bool>()) members.resize(static_cast<std::size_t>(between(1, machines)));
    scene.order = bcast::depth_first_order(layout_of(scene.network), members, members.front());
    return scene;
}

LoadProof prove(const Scene& scene, const bcast::Tree& tree) {
    return prove_load(scene.network, scene.order.machines, scene.order.machines.front(),
                      {{1.0, machine_edges(scene.order, tree)}});
}

void check_contention_free(const Scene& scene, const bcast::Tree& tree, int radix) {
    const LoadProof proof = prove(scene, tree);
    RC_ASSERT(proof.covers);
    RC_ASSERT(proof.contention_free);
    RC_ASSERT(proof.stage <= radix);
    RC_ASSERT(fanout(tree) <= radix);
}

RC_GTEST_PROP(LinearTree, IsContentionFreeAndSoIsTheEdgeThatClosesTheRing, ()) {
    const Scene scene = random_scene(60);
    check_contention_free(scene, bcast::linear_tree(scene.order.size()), 1);
    Transmissions ring{1.0, machine_edges(scene.order, bcast::linear_tree(scene.order.size()))};
    if (scene.order.size() < 2) return;
    ring.edges.emplace_back(scene.order.machines.back(), scene.order.machines.front());
    const LoadProof proof = prove_load(scene.network, scene.order.machines, scene.order.machines.front(), {ring});
    RC_ASSERT(proof.contention_free);
    RC_ASSERT(proof.stage == 1.0);
}

RC_GTEST_PROP(LinearTree, AnyRotationOfTheOrderIsContentionFree, ()) {
    const Scene scene = random_scene(40);
    std::vector<int> ring = scene.order.machines;
    std::rotate(ring.begin(), ring.begin() + between(0, scene.order.size() - 1), ring.end());
    Transmissions chain;
    for (std::size_t i = 1; i < ring.size(); ++i) chain.edges.emplace_back(ring[i - 1], ring[i]);
    const LoadProof proof = prove_load(scene.network, ring, ring.front(), {chain});
    RC_ASSERT(proof.covers);
    RC_ASSERT(proof.contention_free);
}

RC_GTEST_PROP(DepthFirstOrder, KeepsSubtreesTogetherAndTheRootFirst, ()) {
    const Scene scene = random_scene(60);
    std::vector<int> seen(scene.network.machines.size(), 0);
    for (int machine : scene.order.machines) RC_ASSERT(++seen[static_cast<std::size_t>(machine)] == 1);
    RC_ASSERT(scene.order.subtrees.front().first == 0);
    RC_ASSERT(scene.order.subtrees.front().last == scene.order.size() - 1);
    for (const bcast::Subtree& subtree : scene.order.subtrees) {
        RC_ASSERT(subtree.first <= subtree.last);
        if (subtree.parent < 0) continue;
        const bcast::Subtree& parent = scene.order.subtrees[static_cast<std::size_t>(subtree.parent)];
        RC_ASSERT((parent.first <= subtree.first && subtree.last <= parent.last));
    }
    for (int position = 0; position < scene.order.size(); ++position) {
        const int machine = scene.order.machines[static_cast<std::size_t>(position)];
        const int innermost = scene.order.innermost[static_cast<std::size_t>(position)];
        RC_ASSERT(scene.order.subtrees[static_cast<std::size_t>(innermost)].sw ==
                  scene.network.machines[static_cast<std::size_t>(machine)].sw);
    }
}

RC_GTEST_PROP(KaryTree, IsContentionFree, ()) {
    const Scene scene = random_scene(150);
    const int radix = between(1, 8);
    check_contention_free(scene, bcast::kary_tree(scene.order, radix), radix);
}

RC_GTEST_PROP(KaryTree, IsNeverAboveThePapersAlgorithm, ()) {
    const Scene scene = random_scene(200);
    const bcast::Tree literal = paper_tree(scene.network, scene.order, 2);
    check_contention_free(scene, literal, 2);
    for (int radix = 2; radix <= 4; ++radix) {
        const bcast::Tree tree = bcast::kary_tree(scene.order, radix);
        check_contention_free(scene, tree, radix);
        RC_ASSERT(height_of(tree) <= height_of(literal));
    }
}

TEST(KaryTree, IsNeverAboveThePapersAlgorithmOnTwoHundredMachines) {
    std::mt19937 random(11);
    for (int shape = 0; shape < static_cast<int>(Shape::count); ++shape) {
        for (const int switches : {13, 25, 200, 300}) {  // 200: one machine on each; 300: some without
            const Network network = random_network(200, switches, static_cast<Shape>(shape), switches == 200, random);
            std::vector<int> members(200);
            std::iota(members.begin(), members.end(), 0);
            const bcast::Order order =
                bcast::depth_first_order(layout_of(network), members, static_cast<int>(random() % 200));
            const int most_radix = switches == 25 ? 3 : 2;  // the literal extension takes up to seconds on others
            for (int radix = 2; radix <= most_radix; ++radix) {
                EXPECT_LE(height_of(bcast::kary_tree(order, radix)), height_of(paper_tree(network, order, radix)))
                    << "shape " << shape << ", " << switches << " switches, radix " << radix;
            }
        }
    }
}

RC_GTEST_PROP(KaryTree, IsNeverAboveTheLiteralExtension, ()) {
    const int radix = between(3, 5);
    const Scene scene = random_scene(radix == 3 ? 200 : 40);  // the literal algorithm takes (P choose radix+1) steps
    const bcast::Tree literal = paper_tree(scene.network, scene.order, radix);
    check_contention_free(scene, literal, radix);
    RC_ASSERT(height_of(bcast::kary_tree(scene.order, radix)) <= height_of(literal));
}

RC_GTEST_PROP(KaryTree, HigherRadixIsNeverHigher, ()) {
    const Scene scene = random_scene(150);
    int last = scene.order.size();
    for (int radix = 1; radix <= 6; ++radix) {
        const int now = height_of(bcast::kary_tree(scene.order, radix));
        RC_ASSERT(now <= last);
        last = now;
    }
}

TEST(KaryTree, IsCompleteOnOneSwitch) {
    for (int machines = 1; machines <= 300; ++machines) {
        const Network network = testing::make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
        std::vector<int> members(static_cast<std::size_t>(machines));
        std::iota(members.begin(), members.end(), 0);
        const bcast::Order order = bcast::depth_first_order(layout_of(network), members, 0);
        for (int radix : {2, 3, 7}) {
            EXPECT_EQ(height_of(bcast::kary_tree(order, radix)),
                      height_lower_bound(bcast::Algorithm::kary3, machines, radix));
        }
    }
}

/// The complete ternary tree needs the root's second child in the middle of s1 with a block that goes on into s2, and
/// the third behind s2: children that enter a subtree, stop inside it, and jump over the one behind it.
TEST(KaryTree, BlocksMayEndBehindTheSubtreeThatTheyBeginIn) {
    std::vector<int> machine_switch{0};
    machine_switch.insert(machine_switch.end(), 23, 1);
    machine_switch.insert(machine_switch.end(), 3, 2);
    machine_switch.insert(machine_switch.end(), 13, 3);
    Scene scene;
    scene.network = testing::make_network(4, {{0, 1}, {0, 2}, {0, 3}}, machine_switch);
    std::vector<int> members(machine_switch.size());
    std::iota(members.begin(), members.end(), 0);
    scene.order = bcast::depth_first_order(layout_of(scene.network), members, 0);
    const bcast::Tree tree = bcast::kary_tree(scene.order, 3);
    EXPECT_EQ(height_of(tree), 3);
    EXPECT_EQ(height_of(paper_tree(scene.network, scene.order, 3)), 3);
    EXPECT_TRUE(prove(scene, tree).contention_free);
}

TEST(KaryTree, SendsToTheTallestBlockFirst) {
    std::mt19937 random(5);
    const Network network = random_network(300, 20, Shape::random_links, false, random);
    std::vector<int> members(300);
    std::iota(members.begin(), members.end(), 0);
    const bcast::Tree tree = bcast::kary_tree(bcast::depth_first_order(layout_of(network), members, 0), 3);
    std::vector<int> below(300, 0);
    for (int position = 299; position > 0; --position) {
        int& parent = below[static_cast<std::size_t>(tree.parent[static_cast<std::size_t>(position)])];
        parent = std::max(parent, below[static_cast<std::size_t>(position)] + 1);
    }
    for (const std::vector<int>& children : tree.children) {
        EXPECT_TRUE(std::is_sorted(children.begin(), children.end(), [&below](int a, int b) {
            return below[static_cast<std::size_t>(a)] > below[static_cast<std::size_t>(b)];
        }));
    }
}

}  // namespace
}  // namespace bcastgen
