#include "planner/decision/prediction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

using testing::network_of;
using testing::sample_network;
using testing::Site;

constexpr double bandwidth_Bps = 12.5e6;  // 100 Mbit/s
constexpr StartUp start_up{100e-6, 0};

// By hand, from "Pipelined broadcast on Ethernet switched clusters", section 3: X segments over a tree of height H
// whose machines send each segment D times take (X + H - 1) * D * T(segment).
TEST(PipelinedTime, IsThePapersFormula) {
    // Linear tree of 16 machines, 64 KiB in 8 KiB segments: X = 8, H = 15, D = 1, T(8192) = 755.36 us.
    EXPECT_NEAR(pipelined_time_s({15, 1, 1}, start_up, bandwidth_Bps, 65536, 8192), 22 * 755.36e-6, 1e-12);
    // Complete binary tree of 31: H = 4, D = 2.
    EXPECT_NEAR(pipelined_time_s({4, 2, 2}, start_up, bandwidth_Bps, 65536, 8192), 11 * 2 * 755.36e-6, 1e-12);
    // One machine to one other, in one piece: T(m).
    EXPECT_NEAR(pipelined_time_s({1, 1, 1}, start_up, bandwidth_Bps, 65536, 0), 5342.88e-6, 1e-12);
    EXPECT_NEAR(pipelined_time_s({1, 1, 1}, start_up, bandwidth_Bps, 65536, 65536), 5342.88e-6, 1e-12);
    // The last segment is short, yet takes a stage: 65537 bytes make 9 segments.
    EXPECT_NEAR(pipelined_time_s({15, 1, 1}, start_up, bandwidth_Bps, 65537, 8192), 23 * 755.36e-6, 1e-12);
    // Ports of different speed: the stage is that of the slowest, startups are paid per child.
    EXPECT_NEAR(pipelined_time_s({4, 2, 20}, start_up, bandwidth_Bps, 8192, 8192), 4 * (200e-6 + 20 * 655.36e-6),
                1e-12);
    // Latency passes for all children at once.
    EXPECT_NEAR(pipelined_time_s({4, 2, 2}, {100e-6, 30e-6}, bandwidth_Bps, 8192, 8192), 4 * (230e-6 + 2 * 655.36e-6),
                1e-12);
    // Two trees of stage 1, each for half of 64 KiB: 4 segments each, and in a stage one of each crosses a link.
    EXPECT_NEAR(pipelined_time_s({4, 2, 1, 0.5}, start_up, bandwidth_Bps, 65536, 8192), 7 * (200e-6 + 1310.72e-6),
                1e-12);
}

TEST(WholeTime, OfABinomialTreeIsLog2PTimesTheMessage) {
    for (const int machines : {2, 4, 8, 16}) {
        PlanRequest request;
        request.tree = bcast::Algorithm::binomial;
        for (int machine = 0; machine < machines; ++machine) request.machines.push_back(machine);
        const Network network = sample_network("fsu-1");
        const WholeTree tree = whole_tree(network, make_plan(network, request));
        EXPECT_NEAR(whole_time_s(tree, start_up.overhead_s, 65536), std::log2(machines) * 5342.88e-6, 1e-12);
    }
}

TEST(WholeTime, CountsTheNarrowestLinkOfEachSend) {
    // n0 -> n2 -> n3 and n0 -> n1: the send to n2 crosses a trunk of 10 Mbit/s, n1 waits for it.
    const Network network = network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Mbit/s}}\n"
        "switches: {s0: {machines: \"n[0-1]\"}, s1: {machines: \"n[2-3]\"}}\n"
        "links: [{between: [s0, s1], bandwidth: 10Mbit/s}]\n");
    PlanRequest request;
    request.tree = bcast::Algorithm::binomial;
    const WholeTree tree = whole_tree(network, make_plan(network, request));
    EXPECT_NEAR(whole_time_s(tree, start_up.overhead_s, 125000), (100e-6 + 0.1) + (100e-6 + 0.01), 1e-12);
}

void expect_sound(const DecisionTable& table, int machines) {
    int next = table.rules.front().machines_from;
    EXPECT_LE(next, 2);
    for (const Rule& rule : table.rules) {
        EXPECT_EQ(rule.machines_from, next);
        EXPECT_EQ(rule.ranks_per_machine_from, 1);
        EXPECT_EQ(rule.ranks_per_machine_to, bcast::any_number);
        next = rule.machines_to == bcast::any_number ? 0 : rule.machines_to + 1;
        ASSERT_FALSE(rule.messages.empty());
        std::size_t taken = 0;  // messages of up to so many bytes have their rule
        for (const MessageRule& message : rule.messages) {
            EXPECT_GT(message.up_to, taken);
            EXPECT_LE(message.segment_bytes, taken + 1) << "a segment above the message";
            const bool whole =
                message.algorithm == bcast::Algorithm::native || message.algorithm == bcast::Algorithm::binomial;
            EXPECT_EQ(message.segment_bytes == 0, whole);
            taken = message.up_to;
        }
        EXPECT_EQ(taken, bcast::no_limit);
        EXPECT_EQ(rule.messages, merged(rule.messages));
    }
    EXPECT_EQ(next, 0) << "the last row is for all larger machine counts";
    EXPECT_LE(table.rules.back().machines_from, std::max(2, machines));
}

class EveryTable : public testing::ForEverySite {};

TEST_P(EveryTable, CoversAllMachineCountsAndSizesInGrowingSteps) {
    const Network& network = sample_.network;
    expect_sound(testing::predicted_table(network), static_cast<int>(network.machines.size()));
}

INSTANTIATE_TEST_SUITE_P(Sites, EveryTable, ::testing::ValuesIn(testing::sample_sites()), testing::label_of);

RC_GTEST_PROP(DefaultTable, IsSoundForAnyNetwork, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const int machines = *rc::gen::inRange(1, 40);
    Network network =
        testing::random_network(machines, *rc::gen::inRange(1, 8), testing::Shape::random_links, false, random);
    for (Machine& machine : network.machines) {
        machine.port.bandwidth_Bps *= *rc::gen::element(0.1, 1.0, 100.0);
        machine.port.latency_s *= *rc::gen::element(0.01, 1.0, 1000.0);
    }
    expect_sound(testing::predicted_table(network), machines);
}

TEST(DefaultTable, LeavesOneAndTwoMachinesToTheMpi) {
    const DecisionTable one = testing::predicted_table(network_of("name: t\nswitches: {s0: {machines: n0}}\n"));
    ASSERT_EQ(one.rules.size(), 1U);
    EXPECT_EQ(one.rules[0].machines_from, 1);
    EXPECT_EQ(one.rules[0].messages, std::vector<MessageRule>{MessageRule{}});
    const DecisionTable two = testing::predicted_table(network_of("name: t\nswitches: {s0: {machines: \"n[0-1]\"}}\n"));
    ASSERT_EQ(two.rules.size(), 1U);
    EXPECT_EQ(two.rules[0].messages, std::vector<MessageRule>{MessageRule{}});
}

TEST(DefaultTable, PipelinesLargeMessagesOnEverySampleOfMoreThanTwoMachines) {
    for (const testing::SiteMaker& maker : testing::sample_sites()) {
        const Site site = maker.make();
        if (site.network.machines.size() <= 2) continue;
        SCOPED_TRACE(site.label);
        const DecisionTable table = testing::predicted_table(site.network);
        EXPECT_EQ(table.rules.front().messages.front().algorithm, bcast::Algorithm::native)
            << "small messages stay native";
        const bcast::Algorithm last = table.rules.back().messages.back().algorithm;
        const auto differs = [&](const Machine& machine) {
            return machine.port.bandwidth_Bps < site.network.machines.front().port.bandwidth_Bps ||
                   machine.port.bandwidth_Bps > site.network.machines.front().port.bandwidth_Bps;
        };
        const bool equal = std::none_of(site.network.machines.begin(), site.network.machines.end(), differs);
        if (equal) {
            EXPECT_TRUE(last == bcast::Algorithm::linear || last == bcast::Algorithm::two_tree)
                << "stage 1 wins in the end";
        } else {  // the slowest machine sets the stage of all
            EXPECT_TRUE(bcast::streams(last));
        }
    }
}

/// The choice that the table makes for all machines of the site.
MessageRule choice(const DecisionTable& table, std::size_t bytes) {
    for (const MessageRule& message : table.rules.back().messages) {
        if (bytes <= message.up_to) return message;
    }
    return {};
}

TEST(DefaultTable, KnowsThatRanksMayMeetOnTrunks) {
    EXPECT_EQ(choice(testing::predicted_table(sample_network("fsu-1")), 8192).algorithm, bcast::Algorithm::native);
    const DecisionTable table = testing::predicted_table(sample_network("fsu-5"));
    EXPECT_EQ(choice(table, 512).algorithm, bcast::Algorithm::native);
    EXPECT_EQ(choice(table, 8192).algorithm, bcast::Algorithm::binomial);
}

// At the sizes that rules end at, no other choice of algorithm and segment size is predicted to be much quicker.
TEST(DefaultTable, ChoosesNearlyTheLeastPredictedTime) {
    const Network network = sample_network("fsu-5");
    const DecisionTable table = testing::predicted_table(network);
    PlanRequest request;
    const auto cost = [&](bcast::Algorithm tree, int radix, int fanout, double share) {
        request.tree = tree;
        request.radix = radix;
        const Plan plan = make_plan(network, request);
        int highest = 0;
        for (const ShareTree& one : plan.trees) highest = std::max(highest, height_of(one.tree));
        return TreeCost{highest, fanout, plan.stage, share};
    };
    const TreeCost costs[] = {cost(bcast::Algorithm::linear, 1, 1, 1), cost(bcast::Algorithm::binary, 2, 2, 1),
                              cost(bcast::Algorithm::kary3, 3, 3, 1), cost(bcast::Algorithm::two_tree, 2, 2, 0.5)};
    constexpr bcast::Algorithm algorithms[] = {bcast::Algorithm::linear, bcast::Algorithm::binary,
                                               bcast::Algorithm::kary3, bcast::Algorithm::two_tree};
    // Software and envelope; between neighbours of the order 31 sends cross 31 ports out, 31 in, 5 trunks of 20 us.
    const StartUp between{5e-6 + 1024 / bandwidth_Bps, (31 + 31 + 5) * 20e-6 / 31};
    for (const std::size_t bytes : {std::size_t{16384}, std::size_t{262144}, std::size_t{16777216}}) {
        const MessageRule chosen = choice(table, bytes);
        double chosen_s = 0;
        double best_s = 1e9;
        for (std::size_t i = 0; i < 4; ++i) {
            if (chosen.algorithm == algorithms[i]) {
                chosen_s = pipelined_time_s(costs[i], between, bandwidth_Bps, bytes, chosen.segment_bytes);
            }
            for (std::size_t segment = 4096; segment <= 131072 && segment <= bytes / 4; segment *= 2) {
                best_s = std::min(best_s, pipelined_time_s(costs[i], between, bandwidth_Bps, bytes, segment));
            }
        }
        EXPECT_GT(chosen_s, 0) << "in one piece at " << bytes;
        EXPECT_LE(chosen_s, 1.15 * best_s) << bytes;
    }
}

}  // namespace
}  // namespace bcastgen
