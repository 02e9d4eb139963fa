// Folded Clos networks: which are recognised, and the theorem on their loads, over random routings.
#include "planner/network/folded_clos.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

/// Pods of `leaves` leaf switches, each joined with each of the pod's `mids`; mid j of every pod is joined with each of
/// its own `cores` cores. Machines are dealt to the leaves.
Network fat_tree(int pods, int leaves, int mids, int cores, int machines) {
    std::vector<std::pair<int, int>> trunks;
    const int first_mid = pods * leaves;
    const int first_core = first_mid + pods * mids;
    for (int pod = 0; pod < pods; ++pod) {
        for (int mid = 0; mid < mids; ++mid) {
            const int upper = first_mid + pod * mids + mid;
            for (int leaf = 0; leaf < leaves; ++leaf) trunks.emplace_back(pod * leaves + leaf, upper);
            for (int core = 0; core < cores; ++core) trunks.emplace_back(first_core + mid * cores + core, upper);
        }
    }
    std::vector<int> on;
    for (int machine = 0; machine < machines; ++machine) on.push_back(machine % (pods * leaves));
    return make_network(first_core + mids * cores, trunks, on);
}

TEST(FoldedClos, IsRecognisedWithItsLevels) {
    Network network = fat_tree(3, 2, 2, 2, 12);
    ASSERT_TRUE(collapse_folded_clos(network));
    EXPECT_EQ(network.switches[0].level, 0);
    EXPECT_EQ(network.switches[6].level, 1);
    EXPECT_EQ(network.switches[12].level, 2);
    EXPECT_TRUE(is_folded_clos(network));
    const auto in_tree = std::count_if(network.trunks.begin(), network.trunks.end(), [](auto& t) { return t.in_tree; });
    EXPECT_EQ(in_tree + 1, static_cast<std::ptrdiff_t>(network.switches.size()));
}

TEST(FoldedClos, IsNotSeenInNetworksOfAnotherShape) {
    Network shortcut = fat_tree(3, 2, 2, 2, 12);
    shortcut.trunks.push_back({0, 1, shortcut.trunks[0].speed});  // leaf to leaf
    EXPECT_FALSE(collapse_folded_clos(shortcut));
    Network ring = make_network(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {0, 1, 2, 3});
    EXPECT_FALSE(collapse_folded_clos(ring));
    // Two spines, none of which all leaves hang on.
    Network broken = make_network(5, {{0, 3}, {1, 3}, {1, 4}, {2, 4}}, {0, 1, 2});
    EXPECT_FALSE(collapse_folded_clos(broken));
}

/// Adds machines on switch `sw`.
void add_machines(Network& network, int sw, int count) {
    for (int i = 0; i < count; ++i) {
        Machine machine = network.machines.front();
        machine.name = "m" + std::to_string(network.machines.size());
        machine.sw = sw;
        network.machines.push_back(machine);
    }
}

TEST(FoldedClos, MayHaveMachinesOnOneSpine) {
    Network network = fat_tree(1, 3, 2, 0, 9);
    add_machines(network, 3, 2);
    ASSERT_TRUE(collapse_folded_clos(network));
    EXPECT_EQ(network.switches[0].level, 0);
    EXPECT_EQ(network.switches[3].level, 1);
    EXPECT_EQ(network.switches[4].level, 1);
    for (std::size_t t = 0; t < 6; ++t) {  // trunks of leaf 0, 1, 2, first to spine 3 and then to spine 4
        EXPECT_EQ(network.trunks[t].bounded_by, static_cast<int>(t % 3)) << t;
    }
}

TEST(FoldedClos, HasNoMachinesOnTwoSpinesNorAboveTheSpines) {
    Network two = fat_tree(1, 3, 2, 0, 9);
    add_machines(two, 3, 1);
    add_machines(two, 4, 1);
    EXPECT_FALSE(collapse_folded_clos(two));
    Network core = fat_tree(3, 2, 2, 2, 12);
    add_machines(core, 12, 1);
    EXPECT_FALSE(collapse_folded_clos(core));
    Network aside = fat_tree(1, 3, 2, 0, 9);  // not all leaves hang on the spine with machines
    add_machines(aside, 3, 1);
    aside.trunks.erase(aside.trunks.begin());
    EXPECT_FALSE(collapse_folded_clos(aside));
}

/// Shortest up/down routes, each drawn anew for every pair of machines.
class RandomRoutes : public Routes {
  public:
    RandomRoutes(const Network& network, unsigned seed) : network_(network), seed_(seed) {}

    [[nodiscard]] std::vector<Crossing> between(int from, int to) const override {
        std::mt19937 random(seed_ + static_cast<unsigned>(from) * 7919U + static_cast<unsigned>(to));
        std::vector<Crossing> crossings{{port_out(from), 0}};
        const int goal = network_.machines[static_cast<std::size_t>(to)].sw;
        for (int sw = network_.machines[static_cast<std::size_t>(from)].sw; sw != goal;) {
            const int climb = climb_to(goal, sw);
            std::vector<int> ways;
            for (int t = 0; t < static_cast<int>(network_.trunks.size()); ++t) {
                const Trunk& trunk = network_.trunks[static_cast<std::size_t>(t)];
                if (trunk.a != sw && trunk.b != sw) continue;
                const int other = trunk.a == sw ? trunk.b : trunk.a;
                const bool up = level(other) > level(sw);
                if (up ? climb > 0 && climb_to(goal, other) < climb : climb == 0 && climb_to(goal, other) == 0) {
                    ways.push_back(t);
                }
            }
            const int taken = ways[random() % ways.size()];
            const Trunk& trunk = network_.trunks[static_cast<std::size_t>(taken)];
            crossings.push_back({trunk_link(network_, taken, trunk.a == sw), 0});
            sw = trunk.a == sw ? trunk.b : trunk.a;
        }
        crossings.push_back({port_in(to), 0});
        return crossings;
    }

  private:
    [[nodiscard]] int level(int sw) const { return network_.switches[static_cast<std::size_t>(sw)].level; }
    /// How many levels up from `sw` the nearest switch is that has `leaf` below it; many if there is none.
    [[nodiscard]] int climb_to(int leaf, int sw) const {
        if (hangs_below(leaf, sw)) return 0;
        int least = 100;
        for (const Trunk& trunk : network_.trunks) {
            const int other = trunk.a == sw ? trunk.b : trunk.a;
            if ((trunk.a == sw || trunk.b == sw) && level(other) > level(sw)) {
                least = std::min(least, 1 + climb_to(leaf, other));
            }
        }
        return least;
    }
    [[nodiscard]] bool hangs_below(int leaf, int sw) const {
        if (leaf == sw) return true;
        return std::any_of(network_.trunks.begin(), network_.trunks.end(), [&](const Trunk& trunk) {
            const int other = trunk.a == sw ? trunk.b : trunk.a;
            return (trunk.a == sw || trunk.b == sw) && level(other) < level(sw) && hangs_below(leaf, other);
        });
    }

    const Network& network_;
    unsigned seed_;
};

/// Plans from a root drawn at random: the loads along random routes are no higher than the bounds.
void check_bounds(const Network& network, std::mt19937& random) {
    const RandomRoutes routes(network, static_cast<unsigned>(random()));
    for (const bcast::Algorithm tree :
         {bcast::Algorithm::linear, bcast::Algorithm::binary, bcast::Algorithm::two_tree}) {
        PlanRequest request;
        request.tree = tree;
        request.root = static_cast<int>(random() % network.machines.size());
        const Plan bound = make_plan(network, request);
        const Plan real = make_plan(network, request, &routes);
        RC_ASSERT(real.contention_free);
        for (std::size_t link = 0; link < bound.loads.size(); ++link) RC_ASSERT(real.loads[link] <= bound.loads[link]);
        RC_ASSERT(bound.stage <= (tree == bcast::Algorithm::binary ? 2.0 : 1.0));
    }
}

RC_GTEST_PROP(FoldedClos, NoRoutingLoadsALinkAboveItsBound, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto from_1_to = [&random](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    const int machines = 1 + from_1_to(30);
    Network network = fat_tree(1 + from_1_to(2), from_1_to(3), from_1_to(3), from_1_to(2), machines);
    if (!collapse_folded_clos(network)) return;  // a leaf without machines changes the levels
    check_bounds(network, random);
}

RC_GTEST_PROP(FoldedClos, NoRoutingLoadsALinkAboveItsBoundWithMachinesOnASpine, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto from_1_to = [&random](int most) { return 1 + static_cast<int>(random() % static_cast<unsigned>(most)); };
    const int leaves = 1 + from_1_to(4);
    const int spines = from_1_to(3);
    Network network = fat_tree(1, leaves, spines, 0, leaves + from_1_to(20));
    add_machines(network, leaves + from_1_to(spines) - 1, from_1_to(4));
    RC_ASSERT(collapse_folded_clos(network));
    check_bounds(network, random);
}

}  // namespace
}  // namespace bcastgen
