#include "tuner/wiring/discovery.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "observable.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

Discovery discovered(const Network& network, const Instrument& instrument, unsigned seed) {
    std::vector<std::string> names;
    for (const Machine& machine : network.machines) names.push_back(machine.name);
    return discover_network("found", names, instrument, seed);
}

TEST(Discovery, FindsTreesAndSpeedsOfRandomNetworks) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(16 + static_cast<int>(random() % 60), random);
        const testing::Noise noise{0.02, 0.01, 0.94, 30e-6};
        const Discovery found = discovered(network, testing::instrument_of(network, noise, seed), seed);
        EXPECT_TRUE(found.unclear.empty()) << seed << ' ' << found.unclear.front();
        EXPECT_EQ(testing::observable(found.network), testing::observable(network)) << seed;
        for (const Machine& machine : found.network.machines) EXPECT_EQ(machine.port.bandwidth_Bps, 12.5e6) << seed;
        // What is written can be read.
        const Network read = read_topology(write_topology(found.network, found.head, found.remarks), "found.yaml");
        EXPECT_EQ(read.machines.size(), network.machines.size());
    }
}

TEST(Discovery, MeasuresTrunksAndPorts) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m / 8);
    Network network = testing::make_network(4, {{0, 1}, {1, 2}, {2, 3}}, machine_switch);
    network.trunks[0].speed.bandwidth_Bps = 25e6;
    network.trunks[1].speed.bandwidth_Bps = 50e6;
    network.machines[5].port.bandwidth_Bps = 1.25e6;
    const Discovery found = discovered(network, testing::instrument_of(network, {0.02, 0.01, 0.94, 30e-6}, 1), 1);
    ASSERT_TRUE(found.unclear.empty()) << found.unclear.front();
    ASSERT_EQ(found.network.trunks.size(), 3U);
    EXPECT_EQ(found.network.trunks[0].speed.bandwidth_Bps, 25e6);
    EXPECT_EQ(found.network.trunks[1].speed.bandwidth_Bps, 50e6);
    EXPECT_EQ(found.network.trunks[2].speed.bandwidth_Bps, 12.5e6);
    EXPECT_EQ(found.network.machines[5].port.bandwidth_Bps, 1.25e6);
    EXPECT_EQ(found.network.machines[6].port.bandwidth_Bps, 12.5e6);
}

// Between one question and the next a machine's port comes up at another speed.
TEST(Discovery, EndsInAMessageWhereTheNetworkChangesMeanwhile) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 16; ++m) machine_switch.push_back(m / 8);
    const Network before = testing::make_network(2, {{0, 1}}, machine_switch);
    Network after = before;
    after.machines[3].port.bandwidth_Bps /= 10;
    const Instrument ask_before = testing::instrument_of(before, {}, 1);
    const Instrument ask_after = testing::instrument_of(after, {}, 2);
    int asked = 0;
    const Instrument changing = [&](const std::vector<Round>& rounds) {
        return ++asked < 6 ? ask_before(rounds) : ask_after(rounds);
    };
    EXPECT_FALSE(discovered(before, changing, 1).unclear.empty());
}

}  // namespace
}  // namespace bcastgen
