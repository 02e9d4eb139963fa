#include "planner/price/floor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "planner/price/event_queue.hpp"
#include "planner/price/price.hpp"
#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

TEST(Floor, CountsRoundsWhereNothingIsLostOnTheWay) {
    const BestMachine best{0, 1, 0, 0};
    for (int machines = 2; machines <= 70; ++machines) {
        for (const std::size_t segments : {1U, 2U, 7U}) {
            EXPECT_NEAR(one_port_floor_s(best, machines, segments, 3),
                        3 * (static_cast<double>(segments) - 1 + std::ceil(std::log2(machines))), 1e-9)
                << machines;
        }
    }
}

// A holder sends once a gap of 1, and a receiver may send 3 after its sender began: 1, 2, 3, 4, 6, 9, 13 machines have
// it after 0, 3, 4, 5, 6, 7, 8 (the postal numbers of latency 3).
TEST(Floor, OfOneSegmentIsThePostalBroadcasts) {
    const BestMachine best{1, 0, 3, 0};
    const std::pair<int, double> rows[] = {{1, 0}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 6}, {7, 7}, {9, 7}, {13, 8}};
    for (const auto& [machines, time_s] : rows) EXPECT_NEAR(one_port_floor_s(best, machines, 1, 100), time_s, 1e-9);
}

TEST(Floor, IsTheThinnestCutsWhereThatIsMore) {
    Network network = testing::make_network(2, {{0, 1}}, {0, 0, 1, 1});
    network.machines[0].software = network.machines[1].software = Software{};
    network.machines[2].software = network.machines[3].software = Software{};
    network.trunks[0].speed.bandwidth_Bps = 1.25e6;
    const MessageCosts costs{std::vector<Software>(4)};
    EXPECT_NEAR(floor_s(network, costs, {0, 1, 2, 3}, 0, 1'250'000), 1 + 60e-6, 1e-9);
    EXPECT_LT(floor_s(network, costs, {0, 1}, 0, 1'250'000), 0.11);
    EXPECT_EQ(floor_s(network, costs, {0}, 0, 1'250'000), 0);
}

TEST(Floor, ChargesWhatMessagesCost) {
    const Network network = testing::make_network(1, {}, {0, 0});  // 12.5 MB/s, 20 us
    const std::vector<int> both{0, 1};
    const double wire_s = 1000 / 12.5e6;
    const std::vector<Software> free(2), busy(2, Software{1e-6, 2e-6, 1e-6, 0, 0});
    EXPECT_NEAR(floor_s(network, {busy, 0}, both, 0, 1), 3e-6 + 40e-6 + wire_s / 1000 + 2e-6, 1e-12);
    EXPECT_NEAR(floor_s(network, {free, 16}, both, 0, 1000), 40e-6 + 1016 / 12.5e6, 1e-12);
    // A frame's headers stand beside 1448 bytes at the most.
    EXPECT_NEAR(floor_s(network, {free, 16, Framing::sockets}, both, 0, 1432), 40e-6 + (1448 + 90) / 12.5e6, 1e-9);
    // On SimGrid's Ethernet nothing does better than messages of 5776 to 9376 bytes, and shorter ones do worse.
    EXPECT_NEAR(floor_s(network, {free, 0, Framing::simulated}, both, 0, 1000), 1.9503 * 40e-6 + wire_s / 0.812084,
                1e-9);
    EXPECT_NEAR(floor_s(network, {free, 0, Framing::simulated}, both, 0, 8000), 1.61075 * 40e-6 + 8 * wire_s / 1.08739,
                1e-9);
}

TEST(Floor, TakesAllTrunksOfAFoldedClosTogether) {
    Network network = testing::network_of(
        "name: t\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 1us}}\nswitches: {l0: {machines: \"n[0-1]\"}, "
        "l1: {machines: \"n[2-3]\"}, c0: {}, c1: {}}\nlinks:\n"
        "  - {between: [l0, c0], bandwidth: 10Mbit/s}\n  - {between: [l0, c1], bandwidth: 10Mbit/s}\n"
        "  - {between: [l1, c0], bandwidth: 10Mbit/s}\n  - {between: [l1, c1], bandwidth: 10Mbit/s}\n");
    ASSERT_TRUE(is_folded_clos(network));
    const MessageCosts costs{std::vector<Software>(4)};
    EXPECT_NEAR(floor_s(network, costs, {0, 1, 2, 3}, 0, 1'250'000), 0.5 + 4e-6, 1e-9);
}

RC_GTEST_PROP(Floor, IsBelowEveryPrice, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network = testing::random_network(*rc::gen::inRange(2, 8), *rc::gen::inRange(1, 4),
                                              testing::Shape::random_links, false, random);
    const double faster = *rc::gen::element(1.0, 10.0, 20.0, 100.0, 1000.0, 4000.0);  // 0.1 to 400 Gbit/s
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps *= faster;
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps *= faster;
    std::vector<int> machines;
    for (std::size_t m = 0; m < network.machines.size(); ++m) machines.push_back(static_cast<int>(m));
    MessageCosts costs = *rc::gen::arbitrary<bool>() ? simulated_costs(network) : message_costs(network);
    costs.in_turn = *rc::gen::arbitrary<bool>();
    Prices prices(network, machines, 0, costs);
    const auto bytes = *rc::gen::element<std::size_t>(1, 1000, 9000, 20000);
    const double least_s = floor_s(network, costs, machines, 0, bytes);
    RC_ASSERT(least_s > 0);
    // As exact as prices are: each message that ends may do so a moment early.
    const double early_s = static_cast<double>(machines.size()) * moment_s;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!Prices::has_price(row.algorithm)) continue;
        const Price best = prices.best(row.algorithm, bytes);
        RC_LOG() << bcast::name_of(row.algorithm) << ' ' << best.segment_bytes << ' ' << best.time_s - least_s << '\n';
        RC_ASSERT(best.time_s >= least_s * (1 - 1e-9) - early_s);
    }
    RC_ASSERT(prices.native_s(bytes) >= least_s * (1 - 1e-9));
}

}  // namespace
}  // namespace bcastgen
