#include "planner/price/price.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <random>
#include <string>

#include "bcast/trees/latency_tree.hpp"
#include "bcast/trees/scatter_cost.hpp"
#include "planner/price/event_queue.hpp"
#include "planner/price/ring_schedule.hpp"
#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

std::vector<int> all_of(const Network& network) {
    std::vector<int> machines(network.machines.size());
    std::iota(machines.begin(), machines.end(), 0);
    return machines;
}

Network on_one_switch(const std::string& link, int machines) {
    return testing::network_of("name: t\ndefaults: {link: " + link + "}\nswitches: {s0: {machines: \"n[0-" +
                               std::to_string(machines - 1) + "]\"}}\n");
}

/// What bcastgen bench takes in simulation (fsu-4: 100 Mbit/s, --network auto), milliseconds; docs/predictions.md has
/// many more.
TEST(Price, IsNearTheSimulators) {
    const Network network = testing::sample_network("fsu-4");
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    struct Row {
        bcast::Algorithm algorithm;
        std::size_t segment_bytes;
        std::size_t bytes;
        double simulated_s;
    };
    const Row rows[] = {{bcast::Algorithm::two_tree, 6144, 65536, 13.054e-3},
                        {bcast::Algorithm::two_tree, 240, 65536, 13.778e-3},
                        {bcast::Algorithm::two_tree, 1024, 65536, 22.956e-3},
                        {bcast::Algorithm::binomial, 0, 65536, 30.901e-3},
                        {bcast::Algorithm::flat, 0, 65536, 192.845e-3}};
    for (const Row& row : rows) {
        EXPECT_NEAR(prices.time_s(row.algorithm, row.bytes, row.segment_bytes), row.simulated_s, 0.10 * row.simulated_s)
            << bcast::name_of(row.algorithm) << ' ' << row.segment_bytes;
    }
}

// bcastgen bench takes 414.740 us and 1643.540 us in simulation: the second machine's processor is busy all the time.
TEST(Price, OfALongStreamIsThatOfItsBusiestMachine) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-2]\"}}\n");
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::linear, std::size_t{1} << 20, 2048), 414.740e-6, 1e-7);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::linear, std::size_t{4} << 20, 2048), 1643.540e-6, 1e-7);
}

// Simulated with tables whose rule begins above so many bytes. At 100 Mbit/s a rule's beginning makes no difference.
TEST(Price, KnowsHowManySegmentsAllLengthsOfARuleHave) {
    const std::string machines = "switches: {s0: {machines: \"n[0-15]\"}}\n";
    const Network fast =
        testing::network_of("name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\n" + machines);
    Prices prices(fast, all_of(fast), 0, simulated_costs(fast));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::kary4, 20000, 4096, 4096), 15.616e-6, 0.02e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::kary4, 20000, 4096, 18432), 14.230e-6, 0.02e-6);
    const Network slow =
        testing::network_of("name: t\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\n" + machines);
    Prices slow_prices(slow, all_of(slow), 0, simulated_costs(slow));
    EXPECT_EQ(slow_prices.time_s(bcast::Algorithm::kary4, 20000, 4096, 4096),
              slow_prices.time_s(bcast::Algorithm::kary4, 20000, 4096, 18432));
}

/// The same for 16 machines on one switch at 100 Gbit/s, with links of 1 us; microseconds. In one piece; of more than
/// 256K, 8192 bytes go ahead and the others follow them down the tree.
TEST(Price, IsNearTheSimulatorsOnFastLinks) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-15]\"}}\n");
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binomial, 8192, 0), 13.837e-6, 0.02e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binomial, 16384, 0), 16.458e-6, 0.02e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::linear, 16384, 0), 61.690e-6, 0.02e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binomial, 262144, 0), 95.101e-6, 0.02e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binomial, 266240, 0), 96.847e-6, 0.02e-6);
}

/// bcastgen bench T.yaml --on simulated --format csv, once for each row with its --algorithms, --segments and --sizes;
/// microseconds. It reads its clock once more than prices do (0.01 us). Small segments are where the loop that a
/// machine goes round counts, and which of several ended requests it is told of first.
TEST(Price, IsTheSimulatorsWhereSoftwareIsWhatTakesTheTime) {
    constexpr double clock_us = 0.01;
    constexpr std::size_t k = 1024;
    struct Row {
        int machines;
        const char* link;
        bcast::Algorithm algorithm;
        std::size_t segment_bytes;
        std::size_t bytes;
        double simulated_us;
    };
    constexpr const char* fast = "{bandwidth: 100Gbit/s, latency: 1us}";
    constexpr const char* ten = "{bandwidth: 10Gbit/s, latency: 1us}";
    constexpr const char* gigabit = "{bandwidth: 1Gbit/s, latency: 20us}";
    const Row rows[] = {{4, fast, bcast::Algorithm::linear, 2 * k, 64 * k, 36.905},
                        {4, fast, bcast::Algorithm::linear, 2 * k, 1024 * k, 420.905},
                        {4, fast, bcast::Algorithm::two_tree, 2 * k, 64 * k, 36.505},
                        {4, fast, bcast::Algorithm::two_tree, 8 * k, 64 * k, 15.806},
                        {4, fast, bcast::Algorithm::two_tree, 2 * k, 1024 * k, 511.870},
                        {4, fast, bcast::Algorithm::two_tree, 8 * k, 1024 * k, 148.754},
                        {4, ten, bcast::Algorithm::two_tree, 2 * k, 1024 * k, 6383.879},
                        {16, ten, bcast::Algorithm::two_tree, 2 * k, 16384 * k, 107462.932},
                        {16, ten, bcast::Algorithm::binary, 2 * k, 1024 * k, 7574.116},
                        {4, gigabit, bcast::Algorithm::two_tree, 2 * k, 256 * k, 6106.519},
                        {4, gigabit, bcast::Algorithm::binary, 2 * k, 16 * k, 904.537},
                        {16, gigabit, bcast::Algorithm::two_tree, 2 * k, 16 * k, 991.169}};
    for (const Row& row : rows) {
        const Network network = on_one_switch(row.link, row.machines);
        Prices prices(network, all_of(network), 0, simulated_costs(network));
        const double whole_us = 1e6 * prices.whole_s(row.algorithm, row.bytes, row.segment_bytes);
        EXPECT_NEAR(whole_us, row.simulated_us - clock_us, 2e-3 * row.simulated_us)
            << bcast::name_of(row.algorithm) << ' ' << row.segment_bytes << ' ' << row.bytes;
        const double price_us = 1e6 * prices.time_s(row.algorithm, row.bytes, row.segment_bytes);
        EXPECT_NEAR(price_us, row.simulated_us, 0.03 * row.simulated_us)
            << bcast::name_of(row.algorithm) << ' ' << row.segment_bytes << ' ' << row.bytes;
    }
}

/// A latency tree for messages in two is chosen by when its last machine has both parts.
TEST(Price, OfALatencyTreeIsWhatItWasChosenBy) {
    for (const char* switches :
         {"s0: {machines: \"n[0-15]\"}",
          "s0: {machines: \"n[0-7]\"}, s1: {machines: \"n[8-15]\"}, s2: {machines: \"n[16-23]\"}"}) {
        const bool one = std::string(switches).find("s1") == std::string::npos;
        const Network network = testing::network_of(
            std::string("name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {") + switches +
            "}\n" + (one ? "" : "links: [{between: [s0, s1]}, {between: [s1, s2]}]\n"));
        Prices prices(network, all_of(network), 0, simulated_costs(network));
        const bcast::Layout layout = layout_of(network);
        const bcast::Order order = bcast::depth_first_order(layout, all_of(network), 0);
        for (const std::size_t bytes : bcast::latency_tree_bytes) {
            if (bytes > 65536) continue;
            const auto chosen_ns = static_cast<double>(bcast::timed_latency_tree(layout, order, bytes).end_ns);
            const double price_ns = 1e9 * prices.time_s(bcast::Algorithm::latency, bytes, 0);
            EXPECT_NEAR(chosen_ns, price_ns, 0.05 * price_ns) << switches << ' ' << bytes;
        }
    }
}

/// The same: --algorithms latency, 48 machines in three levels. Ways of one step differ, and the next would delay its
/// last.
TEST(Price, OfALatencyTreeInStepsIsTheSimulators) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 1Gbit/s, latency: 20us}}\n"
        "switches: {top: {}, m0: {}, m1: {}, e0: {machines: \"n[0-7]\"}, e1: {machines: \"n[8-15]\"}, "
        "e2: {machines: \"n[16-23]\"}, e3: {machines: \"n[24-31]\"}, e4: {machines: \"n[32-39]\"}, "
        "e5: {machines: \"n[40-47]\"}}\n"
        "links: [{between: [top, m0]}, {between: [top, m1]}, {between: [m0, e0]}, {between: [m0, e1]}, "
        "{between: [m0, e2]}, {between: [m1, e3]}, {between: [m1, e4]}, {between: [m1, e5]}]\n");
    const bcast::Layout layout = layout_of(network);
    const bcast::Order order = bcast::depth_first_order(layout, all_of(network), 0);
    const bcast::TimedTree timed = bcast::timed_latency_tree(layout, order, 8192);
    EXPECT_TRUE(timed.tree.together.in_steps);
    EXPECT_EQ(timed.tree.together.sends, 3);
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::latency, 8192, 0), 887.441e-6, 1e-6);
}

/// The same: --algorithms linear,native on two switches with two machines each, 100 Mbit/s, where answers share links
/// with messages that have shorter ways; and native on 24 machines, 100 Gbit/s.
TEST(Price, IsTheSimulatorsWhereWaysDiffer) {
    const Network two = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\n"
        "switches: {s0: {machines: \"n[0-1]\"}, s1: {machines: \"n[2-3]\"}}\nlinks: [{between: [s0, s1]}]\n");
    Prices prices(two, all_of(two), 0, simulated_costs(two));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::linear, 65536, 2048), 12640.358e-6, 1e-8);
    const Network many = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-23]\"}}\n");
    Prices natives(many, all_of(many), 0, simulated_costs(many));
    EXPECT_NEAR(natives.native_s(1), 13.607e-6, 1e-8);
    EXPECT_NEAR(natives.native_s(65536), 88.071e-6, 2e-8);
}

/// bcastgen bench T.yaml --on simulated --algorithms scatter-ring,scatter-ring-tuned --segments 2K,8K,max, as above: 16
/// machines on one switch; microseconds.
TEST(Price, OfRingsIsTheSimulators) {
    using bcast::Algorithm;
    struct Row {
        const char* link;
        Algorithm algorithm;
        std::size_t segment_bytes;
        std::size_t bytes;
        double simulated_us;
    };
    const Row rows[] = {
        {"{bandwidth: 100Mbit/s, latency: 20us}", Algorithm::scatter_ring, 8192, 1048576, 155115.412},
        {"{bandwidth: 100Mbit/s, latency: 20us}", Algorithm::scatter_ring_tuned, 0, 262144, 55181.102},
        {"{bandwidth: 1Gbit/s, latency: 20us}", Algorithm::scatter_ring_tuned, 8192, 262144, 6333.311},
        {"{bandwidth: 10Gbit/s, latency: 1us}", Algorithm::scatter_ring, 2048, 1048576, 7062.927},
        {"{bandwidth: 10Gbit/s, latency: 1us}", Algorithm::scatter_ring_tuned, 2048, 1048576, 6931.327},
        {"{bandwidth: 10Gbit/s, latency: 1us}", Algorithm::scatter_ring_tuned, 8192, 16777216, 33802.264},
        {"{bandwidth: 10Gbit/s, latency: 1us}", Algorithm::scatter_ring_tuned, 4096, 100000, 466.450},
        {"{bandwidth: 100Gbit/s, latency: 1us}", Algorithm::scatter_ring, 0, 16384, 55.692},
        {"{bandwidth: 100Gbit/s, latency: 1us}", Algorithm::scatter_ring_tuned, 8192, 1048576, 241.824},
        {"{bandwidth: 100Gbit/s, latency: 1us}", Algorithm::scatter_ring_tuned, 65536, 16777216, 2542.807}};
    for (const Row& row : rows) {
        const Network network = on_one_switch(row.link, 16);
        Prices prices(network, all_of(network), 0, simulated_costs(network));
        EXPECT_NEAR(1e6 * prices.time_s(row.algorithm, row.bytes, row.segment_bytes), row.simulated_us,
                    0.01 * row.simulated_us)
            << bcast::name_of(row.algorithm) << ' ' << row.segment_bytes << ' ' << row.bytes;
    }
}

/// The same in single trees whose segments leave a port idle unless the next is on its way, on one switch and on three
/// with four slow ports (--segments 16K).
TEST(Price, IsTheSimulatorsWherePortsWouldIdle) {
    constexpr std::size_t segment = 16384;
    const Network equal = on_one_switch("{bandwidth: 10Gbit/s, latency: 1us}", 16);
    Prices prices(equal, all_of(equal), 0, simulated_costs(equal));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::linear, 262144, segment), 607.76e-6, 1e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binary, 262144, segment), 515.16e-6, 1e-6);
    std::string slow_machines;
    for (const char* name : {"n3", "n9", "n10", "n20"}) {
        slow_machines += std::string("  ") + name + ": {link: {bandwidth: 5Gbit/s}}\n";
    }
    const Network unequal = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 10Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-7]\"}, "
        "s1: {machines: \"n[8-15]\"}, s2: {machines: \"n[16-23]\"}}\nlinks: [{between: [s0, s1]}, {between: [s0, "
        "s2]}]\n"
        "machines:\n" +
        slow_machines);
    Prices past_slow(unequal, all_of(unequal), 0, simulated_costs(unequal));
    EXPECT_NEAR(past_slow.time_s(bcast::Algorithm::linear, 700000, segment), 1819.39e-6, 1e-6);
    EXPECT_NEAR(past_slow.time_s(bcast::Algorithm::binary, 700000, segment), 1258.64e-6, 1e-6);
}

/// The same in trees of which some children wait for others that pass segments on, by tables with such a rule. In turn
/// they take 16.1, 16.1, 21.4 and 20.9 us.
TEST(Price, IsTheSimulatorsWhereSomeChildrenWait) {
    struct Row {
        const char* link;
        int machines;
        bcast::Algorithm algorithm;
        std::size_t bytes;
        std::size_t segment_bytes;
        std::size_t above_bytes;
        double simulated_us;
    };
    using bcast::Algorithm;
    const Row rows[] = {{"{bandwidth: 100Gbit/s, latency: 1us}", 4, Algorithm::binary, 65536, 8192, 49152, 13.316},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 4, Algorithm::binary, 262144, 32768, 196608, 13.301},
                        {"{bandwidth: 100Gbit/s, latency: 1us}", 6, Algorithm::kary3, 65536, 12288, 49152, 18.633},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 8, Algorithm::kary4, 150000, 16384, 131072, 18.738}};
    for (const Row& row : rows) {
        const Network network = on_one_switch(row.link, row.machines);
        Prices prices(network, all_of(network), 0, simulated_costs(network));
        EXPECT_NEAR(1e6 * prices.time_s(row.algorithm, row.bytes, row.segment_bytes, row.above_bytes), row.simulated_us,
                    0.1)
            << bcast::name_of(row.algorithm) << ' ' << row.machines;
    }
}

/// The same where two senders meet at ports a tenth as fast as theirs.
TEST(Price, IsTheSimulatorsWhereMessagesWaitInSwitches) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 10Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-3]\"}}\n"
        "machines:\n  n2: {link: {bandwidth: 1Gbit/s}}\n  n3: {link: {bandwidth: 1Gbit/s}}\n");
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::two_tree, 65536, 8192), 558.912e-6, 1e-6);
    EXPECT_NEAR(prices.time_s(bcast::Algorithm::binary, 65536, 8192), 552.346e-6, 1e-6);
}

/// The same of broadcasts in rounds, in segments of 8K on links where that is more work than wire: there machines get
/// out of step after some twenty blocks; and on links that are shared, where one is under way or four are.
TEST(Price, OfRoundsIsTheSimulators) {
    struct Row {
        const char* link;
        int machines;
        std::size_t bytes;
        double simulated_us;
    };
    const Row rows[] = {{"{bandwidth: 10Gbit/s, latency: 1us}", 22, 150000, 311.490},
                        {"{bandwidth: 10Gbit/s, latency: 1us}", 22, 200000, 423.197},
                        {"{bandwidth: 10Gbit/s, latency: 1us}", 22, 300000, 633.813},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 11, 262144, 42.995},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 16, 262144, 45.395},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 16, 524288, 92.359},
                        {"{bandwidth: 400Gbit/s, latency: 1us}", 22, 524288, 95.487},
                        {"{bandwidth: 100Mbit/s, latency: 20us}", 16, 262144, 25134.529},
                        {"{bandwidth: 100Mbit/s, latency: 20us}", 16, 1048576, 92895.831},
                        {"{bandwidth: 1Gbit/s, latency: 20us}", 16, 65536, 1648.103},
                        {"{bandwidth: 1Gbit/s, latency: 20us}", 16, 150000, 2771.181}};
    for (const Row& row : rows) {
        const Network network = on_one_switch(row.link, row.machines);
        Prices prices(network, all_of(network), 0, simulated_costs(network));
        EXPECT_NEAR(1e6 * prices.time_s(bcast::Algorithm::circulant, row.bytes, 8192), row.simulated_us,
                    0.03 * row.simulated_us)
            << row.link << ' ' << row.machines << ' ' << row.bytes;
    }
}

/// Where wires are all that counts, each half moves all but one block: 2 (P - 1) / P of the message.
TEST(Price, OfRingsIsTwoMessagesOnBareWires) {
    Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1ns}}\nswitches: {s0: {machines: \"n[0-7]\"}}\n");
    MessageCosts costs{std::vector<Software>(8)};
    costs.in_turn = true;
    Prices prices(network, all_of(network), 0, costs);
    const double message_s = 8 * 8192 / 12.5e9;
    for (const auto ring : {bcast::Algorithm::scatter_ring, bcast::Algorithm::scatter_ring_tuned}) {
        EXPECT_NEAR(prices.time_s(ring, std::size_t{8} * 8192, 0), 2 * message_s * 7 / 8, 0.01 * message_s);
        EXPECT_NEAR(prices.at_least_s(ring, std::size_t{8} * 8192, 0), 2 * message_s * 7 / 8, 0.01 * message_s);
    }
}

/// Of many machines some rounds are gone through, and stand for all.
TEST(Price, OfALongRingIsThatOfAllItsRounds) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 10Gbit/s, latency: 1us}}\n"
        "switches: {s0: {machines: \"n[0-39]\"}, s1: {machines: \"n[40-59]\"}}\nlinks: [{between: [s0, s1]}]\n");
    const std::vector<int> machines = all_of(network);
    const MessageCosts costs = simulated_costs(network);
    const bcast::Layout layout = layout_of(network);
    const bcast::Order order = bcast::depth_first_order(layout, machines, 0);
    const Wires wires(network, order, costs);
    const bcast::Tree scatter = bcast::tuned_scatter(layout, order);
    for (const bool tuned : {false, true}) {
        for (const std::size_t bytes : {100'000U, 2'000'000U}) {
            const RingBroadcast ring{&scatter, tuned, bytes, 8192};
            const double all_s = schedule_ring(wires, ring);
            EXPECT_NEAR(ring_broadcast_s(wires, ring), all_s, 0.03 * all_s) << tuned << ' ' << bytes;
        }
    }
}

RC_GTEST_PROP(Price, OfALongStreamIsWhatGoingThroughAllOfItGives, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network = testing::random_network(*rc::gen::inRange(2, 8), *rc::gen::inRange(1, 4),
                                              testing::Shape::random_links, false, random);
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    const auto algorithm = *rc::gen::element(bcast::Algorithm::linear, bcast::Algorithm::binary,
                                             bcast::Algorithm::kary3, bcast::Algorithm::two_tree);
    const auto segment = *rc::gen::element<std::size_t>(1024, 6144, 16384);
    const std::size_t bytes =
        segment * *rc::gen::inRange<std::size_t>(100, 400) + *rc::gen::inRange<std::size_t>(0, 1000);
    const std::size_t of_first = bytes / 2, of_second = bytes - of_first;
    // Of a pair of trees, one may have a long stream and the other none.
    RC_PRE((of_first + segment - 1) / segment == (of_second + segment - 1) / segment);
    const double long_s = prices.time_s(algorithm, bytes, segment);
    const double all_s = prices.whole_s(algorithm, bytes, segment);
    RC_LOG() << bcast::name_of(algorithm) << ' ' << bytes << " in " << segment << ": " << long_s << ' ' << all_s;
    RC_ASSERT(std::abs(long_s - all_s) <= 0.03 * all_s);
    const double quick_s = prices.quick_s(algorithm, bytes, segment);
    RC_LOG() << " quick " << quick_s;
    RC_ASSERT(std::abs(quick_s - all_s) <= 0.08 * all_s);
    RC_ASSERT(prices.at_least_s(algorithm, bytes, segment) <= all_s * (1 + 1e-9));
}

// Where latencies of ports differ a thousandfold, the pace of longer streams says nothing of the shortest.
RC_GTEST_PROP(Price, OfAShortStreamIsNotConcludedFromLongerOnes, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network = testing::random_network(*rc::gen::inRange(2, 8), *rc::gen::inRange(1, 4),
                                              testing::Shape::random_links, false, random);
    for (Machine& machine : network.machines) machine.port.latency_s *= *rc::gen::element(0.01, 1.0, 1000.0);
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    const auto algorithm = *rc::gen::element(bcast::Algorithm::linear, bcast::Algorithm::binary,
                                             bcast::Algorithm::kary3, bcast::Algorithm::two_tree);
    const std::size_t segment = 16384;
    const std::size_t bytes = segment * *rc::gen::inRange<std::size_t>(2, 5);
    RC_ASSERT(prices.quick_s(algorithm, bytes, segment) == prices.time_s(algorithm, bytes, segment));
}

RC_GTEST_PROP(Price, OfFewSegmentsIsNotBelowWhatItTakesAtLeast, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network = testing::random_network(*rc::gen::inRange(3, 20), *rc::gen::inRange(1, 4),
                                              testing::Shape::random_links, false, random);
    const auto factor = *rc::gen::element(1.0, 1000.0);
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps *= factor;
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps *= factor;
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    const auto algorithm = *rc::gen::element(bcast::Algorithm::linear, bcast::Algorithm::binary,
                                             bcast::Algorithm::kary3, bcast::Algorithm::two_tree);
    const auto segment = *rc::gen::element<std::size_t>(1024, 6144, 8192, 16384, 65536);
    const auto bytes = *rc::gen::inRange<std::size_t>(segment + 1, 12 * segment);
    const double time_s = prices.whole_s(algorithm, bytes, segment);
    RC_LOG() << bcast::name_of(algorithm) << ' ' << bytes << " in " << segment << ": " << time_s;
    RC_ASSERT(prices.at_least_s(algorithm, bytes, segment) <= time_s * (1 + 1e-9));
}

RC_GTEST_PROP(Price, OfRoundsIsNotBelowWhatItTakesAtLeast, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network =
        testing::random_network(*rc::gen::element(2, 3, 5, 8, 9), 1, testing::Shape::random_links, false, random);
    const auto faster = *rc::gen::element(1.0, 10.0, 1000.0);
    const auto uneven = *rc::gen::element(1.0, 5.0);
    for (Machine& machine : network.machines) {
        machine.port.bandwidth_Bps *= faster * std::uniform_real_distribution<double>(1 / uneven, uneven)(random);
    }
    Prices prices(network, all_of(network), 0,
                  *rc::gen::arbitrary<bool>() ? simulated_costs(network) : message_costs(network));
    const auto segment = *rc::gen::element<std::size_t>(1024, 6144, 65536);
    const std::size_t bytes =
        segment * *rc::gen::element<std::size_t>(0, 1, 2, 7, 150) + *rc::gen::inRange<std::size_t>(1, 1000);
    const double least_s = prices.at_least_s(bcast::Algorithm::circulant, bytes, segment);
    RC_ASSERT(least_s <= prices.time_s(bcast::Algorithm::circulant, bytes, segment) * (1 + 1e-9) + moment_s);
}

// A course is made for all messages in such blocks, whichever is asked for first.
TEST(Price, OfRoundsDoesNotGoByWhatWasAskedForBefore) {
    const Network slow = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\nswitches: {s0: {machines: \"n[0-15]\"}}\n");
    const Network fast = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-15]\"}}\n");
    constexpr std::size_t block = 8192;
    for (const Network* network : {&slow, &fast}) {
        for (const MessageCosts& costs : {simulated_costs(*network), message_costs(*network)}) {
            Prices used(*network, all_of(*network), 0, costs);
            for (const std::size_t blocks : {20U, 50U, 100U, 150U, 600U}) {
                Prices fresh(*network, all_of(*network), 0, costs);
                const double quick_s = used.quick_s(bcast::Algorithm::circulant, blocks * block, block);
                EXPECT_EQ(quick_s, fresh.quick_s(bcast::Algorithm::circulant, blocks * block, block)) << blocks;
                const double whole_s = fresh.whole_s(bcast::Algorithm::circulant, blocks * block, block);
                EXPECT_NEAR(quick_s, whole_s, 0.05 * whole_s) << blocks;
            }
        }
    }
}

TEST(Price, SaysWhereTheTimeGoes) {
    const Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\nswitches: {s0: {machines: \"n[0-7]\"}}\n");
    Prices prices(network, all_of(network), 0, simulated_costs(network));
    const Price whole = prices.price(bcast::Algorithm::linear, 1000, 0);
    const Software software = software_of(network.machines.front());
    EXPECT_NEAR(whole.fill_s(), 7 * 1016 / 12.5e9, 1e-12);
    EXPECT_NEAR(whole.steady_s, 0, 1e-12);
    EXPECT_NEAR(whole.latency_s, 7 * 2e-6, 1e-12);
    EXPECT_NEAR(whole.software_s, 7 * (software.send_s + software.receive_s), 1e-12);
    const Price price = prices.price(bcast::Algorithm::two_tree, 1 << 20, 8192);
    EXPECT_NEAR(price.fill_s() + price.steady_s + price.latency_s + price.software_s, price.time_s, 1e-15);
    for (const double part_s : {price.fill_s(), price.steady_s, price.latency_s, price.software_s}) {
        EXPECT_GE(part_s, 0);
    }
    EXPECT_GT(price.steady_s, 0.5 * price.time_s);
}

}  // namespace
}  // namespace bcastgen
