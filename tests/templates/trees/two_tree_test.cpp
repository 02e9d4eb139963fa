// The two-tree over random networks of every shape: proved by the load checker.
#include "bcast/trees/two_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/print/plan_formats.hpp"
#include "tests/models/least_height.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::LeastHeight;
using testing::make_network;
using testing::random_network;
using testing::Shape;

Plan two_tree_plan(const Network& network, int root) {
    PlanRequest request;
    request.tree = bcast::Algorithm::two_tree;
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

// A tree that goes down a chain switch by switch is at least as high as the chain is long. L switches passed on the way
// down take about sqrt(2 L) steps back, half of these on each side of a root in the middle.
TEST(TwoTree, IsLowerThanALongChainIsLongWhereverTheRootHangs) {
    for (const auto& [switches, per_switch] : std::vector<std::pair<int, int>>{{200, 4}, {100, 4}, {100, 1}, {40, 2}}) {
        std::mt19937 random(6);
        const Network network = random_network(switches * per_switch, switches, Shape::chain, true, random);
        for (const int root : {0, 1, 2, switches / 4, switches / 2, switches - 2, switches - 1}) {
            EXPECT_LE(highest(two_tree_plan(network, root)), 2.2 * std::sqrt(switches))
                << switches << " switches of " << per_switch << ", root on switch " << root;
        }
    }
}

struct Compared {
    int networks = 0;
    int higher = 0;  ///< than the least height
    int most = 0;    ///< by so much
};

/// All trees of `switches` switches with one machine each or two, up to `most_machines`, from a root on each switch.
Compared compare_with_least_heights(int switches, int most_machines) {
    Compared compared;
    int shapes = 1;
    for (int s = 2; s < switches; ++s) shapes *= s;
    for (int shape = 0; shape < shapes; ++shape) {
        std::vector<std::pair<int, int>> trunks;
        for (int s = 1, left = shape; s < switches; left /= s++) trunks.emplace_back(left % s, s);
        for (int twos = 0; twos < 1 << switches; ++twos) {
            std::vector<int> machine_switch;
            for (int s = 0; s < switches; ++s) machine_switch.insert(machine_switch.end(), 1U + (twos >> s & 1), s);
            const auto machines = static_cast<int>(machine_switch.size());
            if (machines > most_machines) continue;
            const Network network = make_network(switches, trunks, machine_switch);
            for (int root = 0; root < machines; ++root) {
                if (root > 0 && machine_switch[static_cast<std::size_t>(root) - 1] ==
                                    network.machines[static_cast<std::size_t>(root)].sw)
                    continue;
                const int above = highest(two_tree_plan(network, root)) - LeastHeight(network, root).of_both();
                EXPECT_GE(above, 0);
                ++compared.networks;
                compared.higher += above > 0 ? 1 : 0;
                compared.most = std::max(compared.most, above);
            }
        }
    }
    return compared;
}

TEST(TwoTree, IsAsLowAsAnyOnNearlyAllSmallNetworks) {
    for (const int switches : {2, 3, 4}) EXPECT_EQ(compare_with_least_heights(switches, 8).higher, 0) << switches;
    const Compared five = compare_with_least_heights(5, 7);
    EXPECT_EQ(five.networks, 1920);
    EXPECT_LE(five.higher, 8);
    EXPECT_LE(five.most, 1);
}

RC_GTEST_PROP(TwoTree, IsNeverBelowItsHeightBoundWhateverThePorts, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 1 + below(20);
    Network network = random_network(machines, 1 + below(4), static_cast<Shape>(below(static_cast<int>(Shape::count))),
                                     false, random);
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 12.5e6 * (1 + below(1 + below(10)));
    const Plan plan = two_tree_plan(network, below(machines));
    RC_ASSERT(highest(plan) >= plan.height_lower_bound);
}

TEST(TwoTree, SaysWhatIsTrueWhereFastMachinesSendMore) {
    Network network = make_network(1, {}, {0, 0, 0});
    const std::string once = "no directed link carries more than the message once";
    EXPECT_NE(plan_text(network, two_tree_plan(network, 0)).find(once), std::string::npos);
    network.machines[1].port.bandwidth_Bps = network.machines[2].port.bandwidth_Bps = 1.25e6;
    const Plan plan = two_tree_plan(network, 0);
    EXPECT_EQ(highest(plan), 1);
    EXPECT_EQ(plan.height_lower_bound, 1);
    EXPECT_DOUBLE_EQ(plan.loads[static_cast<std::size_t>(port_out(0))], 2);
    const std::string text = plan_text(network, plan);
    EXPECT_NE(text.find("height   1 and 1 (lower bound 1)"), std::string::npos) << text;
    EXPECT_EQ(text.find(once), std::string::npos) << text;
    EXPECT_NE(text.find("no machine sends for longer than the slowest receives"), std::string::npos) << text;
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
