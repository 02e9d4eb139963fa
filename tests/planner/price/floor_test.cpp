#include "planner/price/floor.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "planner/price/price.hpp"
#include "tests/models/random_network.hpp"

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
    EXPECT_NEAR(floor_s(network, {0, 1, 2, 3}, 0, 1'250'000), 1 + 60e-6, 1e-9);
    EXPECT_LT(floor_s(network, {0, 1}, 0, 1'250'000), 0.11);
    EXPECT_EQ(floor_s(network, {0}, 0, 1'250'000), 0);
}

RC_GTEST_PROP(Floor, IsBelowEveryPrice, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Network network = testing::random_network(*rc::gen::inRange(2, 8), *rc::gen::inRange(1, 4),
                                              testing::Shape::random_links, false, random);
    const double faster = *rc::gen::element(20.0, 1000.0);  // 2 and 100 Gbit/s
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps *= faster;
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps *= faster;
    std::vector<int> machines;
    for (std::size_t m = 0; m < network.machines.size(); ++m) machines.push_back(static_cast<int>(m));
    Prices prices(network, machines, 0, message_costs(network));
    const auto bytes = *rc::gen::element<std::size_t>(1, 1000, 20000);
    const double least_s = floor_s(network, machines, 0, bytes);
    RC_ASSERT(least_s > 0);
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!Prices::has_price(row.algorithm)) continue;
        RC_ASSERT(prices.best(row.algorithm, bytes).time_s >= least_s * (1 - 1e-9));
    }
    RC_ASSERT(prices.native_s(bytes) >= least_s * (1 - 1e-9));
}

}  // namespace
}  // namespace bcastgen
