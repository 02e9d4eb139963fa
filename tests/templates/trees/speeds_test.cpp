// Unequal links: the least stage, narrow and wide trunks, slow machines.
#include "bcast/trees/speeds.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "bcast/facts/site.hpp"
#include "bcast/trees/kary_tree.hpp"
#include "bcast/trees/wide_trunks.hpp"
#include "planner/plan/plan.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

Plan plan_of(const Network& network, bcast::Algorithm tree, int root = 0) {
    PlanRequest request;
    request.tree = tree;
    request.radix = 3;
    request.root = root;
    return make_plan(network, request);
}

/// 1 / the least width among machine ports and the trunks with machines on both sides.
double narrowest_stage(const Network& network) {
    const std::vector<double> stages =

        link_stages(network, std::vector<double>(static_cast<std::size_t>(link_count(network)), 1),
                    reference_bandwidth_Bps(network));
    double stage = 0;
    for (std::size_t m = 0; m < network.machines.size(); ++m) {
        stage = std::max(stage, stages[static_cast<std::size_t>(port_in(static_cast<int>(m)))]);
    }
    const Plan linear = plan_of(network, bcast::Algorithm::linear);
    for (auto link = 2 * network.machines.size(); link < linear.loads.size(); ++link) {
        if (linear.loads[link] > 0) stage = std::max(stage, stages[link]);
    }
    return stage;
}

RC_GTEST_PROP(Speeds, NoLinkRaisesTheStageAboveWhatItMustBe, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(60);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    Network network = random_network(machines, 1 + below(20), shape, below(2) == 0, random);
    const double speeds_Bps[] = {1.25e6, 12.5e6, 25e6, 40e6, 125e6, 1.25e9};
    const int kinds = 1 + below(6);
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps = speeds_Bps[below(kinds)];
    const int port_kinds = 1 + below(4);
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = speeds_Bps[below(port_kinds)];
    const int root = below(machines);
    const double narrowest = narrowest_stage(network);
    const auto at_most = [&](bcast::Algorithm tree, double fanout) {
        const Plan plan = plan_of(network, tree, root);  // throws if it is not contention-free
        const double least = std::max(narrowest, std::min<double>(fanout, machines - 1));
        RC_ASSERT(plan.stage <= least * (1 + 1e-9));
    };
    at_most(bcast::Algorithm::linear, 1);
    PlanRequest request;
    request.root = root;
    const Plan fast = make_plan(network, request);
    request.builder = Builder::best;
    RC_ASSERT(make_plan(network, request).stage <= fast.stage);
    at_most(bcast::Algorithm::binary, 2);
    at_most(bcast::Algorithm::kary3, 3);
    at_most(bcast::Algorithm::two_tree, 1);
}

/// On one switch; the slow ones have ports of two fifths of the fast ones' speed.
Network fast_and_slow(std::size_t fast, std::size_t slow) {
    Network network = make_network(1, {}, std::vector<int>(fast + slow, 0));
    for (std::size_t m = 0; m < fast + slow; ++m) network.machines[m].port.bandwidth_Bps = m < fast ? 12.5e9 : 5e9;
    return network;
}

/// How many of the machines from number `slow` on send, the root excepted.
int slow_senders(const Plan& plan, int slow) {
    int senders = 0;
    for (std::size_t position = 1; position < plan.order.machines.size(); ++position) {
        const bool sends = !plan.trees[0].tree.children[position].empty();
        if (sends && plan.order.machines[position] >= slow) ++senders;
    }
    return senders;
}

TEST(Speeds, SlowMachinesHangOnATreeOfTheFastOnes) {
    const Network network = fast_and_slow(10, 10);
    for (const int root : {0, 5, 15}) {
        const Plan plan = plan_of(network, bcast::Algorithm::binary, root);
        const bcast::Tree& tree = plan.trees[0].tree;
        EXPECT_EQ(height_of(tree), root < 10 ? 4 : 5) << root;  // the others' has 3, and a slow root one child
        EXPECT_DOUBLE_EQ(plan.stage, 2.5) << root;
        EXPECT_EQ(slow_senders(plan, 10), 0) << root;
    }
}

// Binary trees have one more place for leaves than they have machines with children.
TEST(Speeds, SlowMachinesThatAreTooManyToHangSendToo) {
    const Plan plan = plan_of(fast_and_slow(4, 16), bcast::Algorithm::binary);
    EXPECT_DOUBLE_EQ(plan.stage, 2.5);
    EXPECT_GT(slow_senders(plan, 4), 0);
}

/// Racks of ten machines of 1 Gbit/s below a core.
Network racks(double trunk_Bps, int count = 4) {
    std::vector<int> on;
    std::vector<std::pair<int, int>> trunks;
    for (int rack = 1; rack <= count; ++rack) {
        trunks.emplace_back(0, rack);
        on.insert(on.end(), 10, rack);
    }
    Network network = make_network(1 + count, trunks, on);
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 125e6;
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps = trunk_Bps;
    return network;
}

double heaviest_trunk(const Plan& plan) {
    return *std::max_element(plan.loads.begin() + 2 * plan.order.size(), plan.loads.end());
}

TEST(Speeds, FatTrunksAreUsedUpToWhatTheyHold) {
    const Plan binary = plan_of(racks(1250e6), bcast::Algorithm::binary);
    EXPECT_EQ(height_of(binary.trees[0].tree), binary.height_lower_bound);  // 6 where trunks are as fast as machines
    EXPECT_DOUBLE_EQ(binary.stage, 2);
    EXPECT_GT(heaviest_trunk(binary), 1);
    EXPECT_LE(heaviest_trunk(plan_of(racks(1250e6), bcast::Algorithm::two_tree)), 1);  // would not get lower
    const Plan pair = plan_of(racks(1250e6, 8), bcast::Algorithm::two_tree);
    EXPECT_EQ(height_of(pair.trees[0].tree), pair.height_lower_bound);  // 8 where trunks are as fast as machines
    EXPECT_GT(heaviest_trunk(pair), 1);
    EXPECT_LE(heaviest_trunk(pair), 10);
    EXPECT_DOUBLE_EQ(pair.stage, 1);
}

TEST(Speeds, CablesSideBySideCountAsOne) {
    Network network = racks(125e6);
    for (Trunk& trunk : network.trunks) trunk.cables = 10;
    EXPECT_LE(heaviest_trunk(plan_of(network, bcast::Algorithm::two_tree)), 1);
    EXPECT_LE(heaviest_trunk(plan_of(network, bcast::Algorithm::binary)), 2);
}

TEST(Speeds, ThinTrunksAreCrossedOnce) {
    const Plan plan = plan_of(racks(12.5e6), bcast::Algorithm::kary3);
    EXPECT_DOUBLE_EQ(heaviest_trunk(plan), 1);
    EXPECT_DOUBLE_EQ(plan.stage, 10);
}

TEST(Speeds, SlowMachinesAreLeavesWhereThatCostsNoStage) {
    Network network = racks(125e6);
    for (const std::size_t slow : {3U, 4U, 5U, 12U, 20U, 21U, 22U, 39U}) {
        network.machines[slow].port.bandwidth_Bps = 12.5e6;
    }
    for (const bcast::Algorithm tree :
         {bcast::Algorithm::binary, bcast::Algorithm::kary3, bcast::Algorithm::two_tree}) {
        const Plan plan = plan_of(network, tree);
        EXPECT_DOUBLE_EQ(plan.stage, 10);
        for (std::size_t position = 0; position < 40; ++position) {
            const auto machine = static_cast<std::size_t>(plan.order.machines[position]);
            if (network.machines[machine].port.bandwidth_Bps > 12.5e6) continue;
            for (const ShareTree& one : plan.trees) {
                EXPECT_TRUE(one.tree.children[position].empty()) << "machine " << machine;
            }
        }
    }
}

TEST(Speeds, MachinesThatTakeNoPartDoNotCount) {
    Network network = racks(125e6);
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 125e6;
    Network with_fast = network;
    with_fast.machines.push_back({"fast", 0, {5e9, 20e-6}, 1});
    for (const bcast::Algorithm tree :
         {bcast::Algorithm::binary, bcast::Algorithm::kary3, bcast::Algorithm::two_tree, bcast::Algorithm::latency}) {
        PlanRequest request;
        request.tree = tree;
        for (int machine = 0; machine < 40; ++machine) request.machines.push_back(machine);
        const Plan plan = make_plan(network, request);
        const Plan beside_fast = make_plan(with_fast, request);
        EXPECT_DOUBLE_EQ(beside_fast.stage, plan.stage);
        EXPECT_EQ(beside_fast.contention_free, plan.contention_free);
        for (std::size_t t = 0; t < plan.trees.size(); ++t) {
            EXPECT_EQ(beside_fast.trees[t].tree.parent, plan.trees[t].tree.parent);
        }
    }
}

TEST(Speeds, OfThreeKindsOfMachinesTheSlowestAreLeaves) {
    // One switch: a server, twenty workers, and eight that are ten times slower. The server alone cannot feed all.
    std::vector<int> on_switch(29, 0);
    Network network = make_network(1, {}, on_switch);
    for (std::size_t m = 0; m < 29; ++m) network.machines[m].port.bandwidth_Bps = m < 8 ? 12.5e6 : 125e6;
    network.machines[28].port.bandwidth_Bps = 1.25e9;
    for (const bcast::Algorithm tree :
         {bcast::Algorithm::binary, bcast::Algorithm::kary3, bcast::Algorithm::two_tree}) {
        for (const int root : {8, 28}) {
            const Plan plan = plan_of(network, tree, root);
            EXPECT_DOUBLE_EQ(plan.stage, 100);
            for (std::size_t position = 0; position < 29; ++position) {
                if (plan.order.machines[position] >= 8) continue;
                for (const ShareTree& one : plan.trees) EXPECT_TRUE(one.tree.children[position].empty());
            }
        }
    }
}

int slow_senders(const Network& network, const Plan& plan) {
    int senders = 0;
    for (std::size_t position = 1; position < plan.order.machines.size(); ++position) {
        const Machine& machine = network.machines[static_cast<std::size_t>(plan.order.machines[position])];
        for (const ShareTree& one : plan.trees) {
            const bool sends = !one.tree.children[position].empty();
            senders += sends && machine.port.bandwidth_Bps < 12.5e6 ? 1 : 0;
        }
    }
    return senders;
}

RC_GTEST_PROP(Speeds, TwoTreesSpareSlowMachines, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(80);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    Network network = random_network(machines, 1 + below(10), shape, below(2) == 0, random);
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps = 12.5e6;
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 12.5e6;
    const Plan equal = plan_of(network, bcast::Algorithm::two_tree);
    std::vector<int> fast_on(network.switches.size(), 0);
    std::vector<int> slow_on(network.switches.size(), 0);
    network.machines[0].port.bandwidth_Bps = 12.6e6;  // the root
    for (std::size_t m = 1; m < network.machines.size(); ++m) {
        network.machines[m].port.bandwidth_Bps = below(4) == 0 ? 1.25e6 : 12.6e6;
        const bool slow = network.machines[m].port.bandwidth_Bps < 12.5e6;
        ++(slow ? slow_on : fast_on)[static_cast<std::size_t>(network.machines[m].sw)];
    }
    const Plan plan = plan_of(network, bcast::Algorithm::two_tree);
    for (const std::size_t tree : {0U, 1U}) {  // none gets higher by it
        RC_ASSERT(height_of(plan.trees[tree].tree) <=
                  std::max(height_of(equal.trees[0].tree), height_of(equal.trees[1].tree)));
    }
    bool many_fast = true;  // on every switch with slow machines, in each part of each tree
    for (std::size_t s = 0; s < fast_on.size(); ++s) many_fast = many_fast && fast_on[s] >= 4 * slow_on[s] + 4;
    if (many_fast) RC_ASSERT(slow_senders(network, plan) == 0);
}

RC_GTEST_PROP(WideTrunks, MakeTreesLowerOrAreNotUsed, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(80);
    const auto shape = static_cast<Shape>(below(static_cast<int>(Shape::count)));
    Network wide = random_network(machines, 1 + below(10), shape, below(2) == 0, random);
    for (Trunk& trunk : wide.trunks) trunk.speed.bandwidth_Bps = 12.5e6 * (1 + below(5));
    for (Machine& machine : wide.machines) machine.port.bandwidth_Bps = 12.5e6;
    Network narrow = wide;
    for (Trunk& trunk : narrow.trunks) trunk.speed.bandwidth_Bps = 12.5e6;
    for (const bcast::Algorithm kind : {bcast::Algorithm::kary3, bcast::Algorithm::two_tree}) {
        const Plan with = plan_of(wide, kind);
        const Plan without = plan_of(narrow, kind);
        int height_with = 0;
        int height_without = 0;
        for (const ShareTree& one : with.trees) height_with = std::max(height_with, height_of(one.tree));
        for (const ShareTree& one : without.trees) height_without = std::max(height_without, height_of(one.tree));
        RC_ASSERT(height_with <= height_without);
    }
    const bcast::Layout layout = layout_of(wide);
    const std::vector<int> members = [&] {
        std::vector<int> all(static_cast<std::size_t>(machines));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }();
    RC_ASSERT(!bcast::has_wide_trunks(bcast::without_wide_trunks(layout, members), members));
    const bcast::Order order = bcast::depth_first_order(layout, members, 0);
    const bcast::Order narrow_order = bcast::depth_first_order(layout_of(narrow), members, 0);
    RC_ASSERT(bcast::kary_tree(bcast::without_wide_trunks(layout, members), order, 2).parent ==
              bcast::kary_tree(layout_of(narrow), narrow_order, 2).parent);
}

TEST(WideTrunks, AreNotUsedWhereTreesGetHigherThoughAsManySubtreesRemain) {
    // One part of switch 1 is a machine alone and none, while switch 3 is parted: four subtrees before and after.
    Network network = make_network(4, {{0, 1}, {1, 2}, {0, 3}}, {3, 3, 3, 0, 3, 0, 0, 1, 1, 3, 2, 0, 0});
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 12.5e6;
    for (const auto& [trunk, width] : {std::pair(0, 4), std::pair(1, 2), std::pair(2, 3)}) {
        network.trunks[static_cast<std::size_t>(trunk)].speed.bandwidth_Bps = 12.5e6 * width;
    }
    std::vector<int> members(network.machines.size());
    std::iota(members.begin(), members.end(), 0);
    const bcast::Layout layout = layout_of(network);
    const bcast::Order order = bcast::depth_first_order(layout, members, 0);
    const bcast::Order widened = bcast::widened_order(layout, order).order;
    ASSERT_EQ(widened.subtrees.size(), order.subtrees.size());
    EXPECT_TRUE(bcast::is_widened(order, widened));
    EXPECT_EQ(height_of(bcast::kary_tree(layout, order, 3)), 2);
}

TEST(WideTrunks, ServeShortStreams) {
    const Network network = racks(1.25e9);
    const bcast::Layout layout = layout_of(network);
    std::vector<int> members(network.machines.size());
    std::iota(members.begin(), members.end(), 0);
    const bcast::Order order = bcast::depth_first_order(layout, members, 0);
    ASSERT_TRUE(bcast::has_wide_trunks(layout, members));
    const auto time_of = [&](const bcast::Layout& of) {
        return bcast::stream_time(layout, order, bcast::kary_tree(of, order, 2), 8192, 2);
    };
    const bcast::StreamTime wide = time_of(layout);
    const bcast::StreamTime narrow = time_of(bcast::without_wide_trunks(layout, members));
    EXPECT_LT(wide.first_ns, narrow.first_ns);      // lower
    EXPECT_GT(wide.further_ns, narrow.further_ns);  // some machine sends to other racks only, and waits for both
    const std::size_t up_to = bcast::quicker_up_to(wide, narrow, 8192, 1, bcast::no_limit);
    EXPECT_GE(up_to, 8192U);
    EXPECT_LT(up_to, std::size_t{1} << 20);
}

TEST(WideTrunks, AStreamTakesItsWayAndItsSlowestSender) {
    // One switch, 1 byte a nanosecond, 5 us for each send, 2 us away: a chain of three, and a root with two children.
    bcast::Layout layout{{0, 0, 0}, {{}}};
    layout.ports.assign(3, {1'000'000'000, 1'000});
    layout.trunks.resize(1);
    const bcast::Order order = bcast::depth_first_order(layout, {0, 1, 2}, 0);
    const bcast::StreamTime chain = bcast::stream_time(layout, order, bcast::linear_tree(3), 10'000, 1);
    EXPECT_EQ(chain.first_ns, 2 * (15'000 + 2'000));
    EXPECT_EQ(chain.further_ns, 15'000 + 2 * 2'000);  // one under way: heard of before the next
    EXPECT_EQ(bcast::stream_time(layout, order, bcast::linear_tree(3), 10'000, 4).further_ns, 15'000);
    const bcast::StreamTime flat = bcast::stream_time(layout, order, bcast::flat_tree(3), 10'000, 4);
    EXPECT_EQ(flat.first_ns, 2 * 15'000 + 2'000);
    EXPECT_EQ(flat.further_ns, 30'000);
    EXPECT_EQ(bcast::quicker_up_to(flat, chain, 10'000, 1, 7), 10'000U);
    EXPECT_EQ(bcast::quicker_up_to(flat, flat, 10'000, 1, 7), 0U);
    EXPECT_EQ(bcast::quicker_up_to(flat, {40'000, 30'000}, 10'000, 1, 7), 7U);
}

}  // namespace
}  // namespace bcastgen
