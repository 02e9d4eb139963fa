#include "tuner/wiring/discovery/discovery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "observable.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "recorded_noise.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

constexpr testing::Noise low_noise{0.02, 0.01, 0.94, 30e-6};

Discovery discovered(const Network& network, const Instrument& instrument, unsigned seed) {
    std::vector<std::string> names;
    for (const Machine& machine : network.machines) names.push_back(machine.name);
    return discover_network("found", names, instrument, seed);
}

TEST(Discovery, FindsTreesAndSpeedsOfRandomNetworks) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(16 + static_cast<int>(random() % 60), random);
        const Discovery found = discovered(network, testing::instrument_of(network, low_noise, seed), seed);
        EXPECT_TRUE(found.unclear.empty()) << seed << ' ' << found.unclear.front();
        EXPECT_EQ(testing::observable(found.network), testing::observable(network)) << seed;
        for (const Machine& machine : found.network.machines) {
            EXPECT_EQ(machine.port.bandwidth_Bps, 12.5e6) << seed;
            EXPECT_EQ(machine.port.latency_s, found.network.machines.front().port.latency_s) << seed;  // but for noise
        }
        // What is written can be read.
        const Network read = read_topology(write_topology(found.network, found.head, found.remarks), "found.yaml");
        EXPECT_EQ(read.machines.size(), network.machines.size());
    }
}

// As far off as rates and round trips were on an emulated cluster. Chance has its share: where noise hides something,
// that is said, and nothing wrong is written.
TEST(Discovery, StandsRecordedNoise) {
    ASSERT_FALSE(testing::recorded_noise().rates.empty() || testing::recorded_noise().round_trips.empty());
    testing::Noise noise;
    noise.recorded = &testing::recorded_noise();
    int exact = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(16 + static_cast<int>(random() % 60), random);
        const Discovery found = discovered(network, testing::instrument_of(network, noise, seed), seed);
        if (!found.unclear.empty()) continue;
        EXPECT_EQ(testing::observable(found.network), testing::observable(network)) << seed;
        for (const Machine& machine : found.network.machines) EXPECT_EQ(machine.port.bandwidth_Bps, 12.5e6) << seed;
        ++exact;
    }
    EXPECT_GE(exact, 18);
}

TEST(Discovery, MeasuresTrunksAndPorts) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m / 8);
    Network network = testing::make_network(4, {{0, 1}, {1, 2}, {2, 3}}, machine_switch);
    network.trunks[0].speed.bandwidth_Bps = 25e6;
    network.trunks[1].speed.bandwidth_Bps = 50e6;
    network.machines[5].port.bandwidth_Bps = 1.25e6;
    const Discovery found = discovered(network, testing::instrument_of(network, low_noise, 1), 1);
    ASSERT_TRUE(found.unclear.empty()) << found.unclear.front();
    ASSERT_EQ(found.network.trunks.size(), 3U);
    EXPECT_EQ(found.network.trunks[0].speed.bandwidth_Bps, 25e6);
    EXPECT_EQ(found.network.trunks[1].speed.bandwidth_Bps, 50e6);
    EXPECT_EQ(found.network.trunks[2].speed.bandwidth_Bps, 12.5e6);
    EXPECT_EQ(found.network.machines[5].port.bandwidth_Bps, 1.25e6);
    EXPECT_EQ(found.network.machines[6].port.bandwidth_Bps, 12.5e6);
}

// Where latencies do not show, streams of the verification do: what shares a trunk is never taken for one switch.
TEST(Discovery, SaysWhereLatenciesDoNotShowThatMachinesShareTrunks) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        std::mt19937 random(seed);
        Network network = testing::random_wiring(16 + static_cast<int>(random() % 40), random);
        for (Trunk& trunk : network.trunks) {
            trunk.cables = 1;
            trunk.speed = {12.5e6, 0};
        }
        const Discovery found = discovered(network, testing::instrument_of(network, low_noise, seed), seed);
        EXPECT_FALSE(found.unclear.empty()) << seed;
        for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps = 12.5e6 * 64;  // full bisection
        const Discovery wide = discovered(network, testing::instrument_of(network, low_noise, seed), seed);
        EXPECT_TRUE(wide.unclear.empty()) << seed << ' ' << wide.unclear.front();
        EXPECT_EQ(wide.network.switches.size(), 1U) << seed;
    }
}

/// Answers as one network up to a round, then as another.
class ChangingNetwork {
  public:
    ChangingNetwork(Instrument before, Instrument after, int changes_at)
        : before_(std::move(before)), after_(std::move(after)), changes_at_(changes_at) {}

    std::vector<Answer> operator()(const std::vector<Round>& rounds) {
        std::vector<Answer> answers;
        for (const Round& round : rounds) {
            answers.push_back((asked++ < changes_at_ ? before_ : after_)({round}).front());
        }
        return answers;
    }

    int asked = 0;

  private:
    Instrument before_;
    Instrument after_;
    int changes_at_;
};

/// Whether a file says what there is: the same tree, and the same speeds of ports and trunks.
bool says(const Network& found, const Network& network) {
    if (testing::observable(found) != testing::observable(network)) return false;
    for (std::size_t m = 0; m < found.machines.size(); ++m) {
        if (std::abs(found.machines[m].port.bandwidth_Bps / network.machines[m].port.bandwidth_Bps - 1) > 0.05)
            return false;
    }
    return std::all_of(found.trunks.begin(), found.trunks.end(), [&](const Trunk& one) {
        return std::abs(one.speed.bandwidth_Bps / network.trunks.front().speed.bandwidth_Bps - 1) < 0.05;
    });
}

// Whenever that happens: a file that is written is true of the network before or after. What changes while the last
// questions are asked, those of the verification, may stay unnoticed.
TEST(Discovery, WritesNoWrongFileOfANetworkThatChangesMeanwhile) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 16; ++m) machine_switch.push_back(m / 8);
    const Network before = testing::make_network(2, {{0, 1}}, machine_switch);
    std::vector<Network> changes(4, before);
    changes[0].machines[3].port.bandwidth_Bps /= 10;
    changes[1].trunks[0].speed.bandwidth_Bps /= 2;
    changes[2].machines[3].sw = 1;
    std::swap(changes[3].machines[3].sw, changes[3].machines[12].sw);
    int messages = 0;
    for (const Network& after : changes) {
        for (const bool back : {false, true}) {
            const Network& first = back ? after : before;
            const Network& then = back ? before : after;
            ChangingNetwork unchanged(testing::instrument_of(first, low_noise, 1), {}, 1000);
            static_cast<void>(discovered(first, std::ref(unchanged), 1));
            for (int at = 1; at < unchanged.asked; ++at) {
                ChangingNetwork network(testing::instrument_of(first, low_noise, 1),
                                        testing::instrument_of(then, low_noise, 2), at);
                const Discovery found = discovered(first, std::ref(network), 1);
                messages += found.unclear.empty() ? 0 : 1;
                EXPECT_TRUE(!found.unclear.empty() || says(found.network, first) || says(found.network, then))
                    << "change " << &after - changes.data() << (back ? " back" : "") << " at round " << at << '\n'
                    << write_topology(found.network, found.head, found.remarks);
            }
        }
    }
    EXPECT_GT(messages, 100);
}

/// Some rounds, one after the other, bring a share of the rates: what else the host does holds all streams back.
class BusyForAWhile {
  public:
    BusyForAWhile(Instrument network, int from, int rounds, double share)
        : network_(std::move(network)), from_(from), rounds_(rounds), share_(share) {}

    std::vector<Answer> operator()(const std::vector<Round>& rounds) {
        std::vector<Answer> answers = network_(rounds);
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            const bool busy = asked >= from_ && asked < from_ + rounds_;
            ++asked;
            if (rounds[r].asked != Asked::rates || !busy) continue;
            for (double& rate_Bps : answers[r]) rate_Bps *= share_;
        }
        return answers;
    }

    int asked = 0;

  private:
    Instrument network_;
    int from_;
    int rounds_;
    double share_;
};

// Ports that are held back while the verification measures what streams get of a link make nothing faster that is
// filled later. What is held back all the time is slower as far as anybody can see.
TEST(Discovery, TakesNothingForFasterSinceTheHostWasBusy) {
    Network network = testing::make_network(2, {{0, 1}}, {0, 1, 0, 1, 0, 1});
    network.machines[3].port.bandwidth_Bps /= 2;
    BusyForAWhile never(testing::instrument_of(network, low_noise, 1), 0, 0, 1);
    static_cast<void>(discovered(network, std::ref(never), 1));
    int written = 0;
    for (const double share : {0.80, 0.84, 0.9}) {
        for (const int rounds : {5, 10, 20, 30}) {
            for (int from = 0; from < never.asked; ++from) {
                BusyForAWhile busy(testing::instrument_of(network, low_noise, 1), from, rounds, share);
                const Discovery found = discovered(network, std::ref(busy), 1);
                if (!found.unclear.empty()) continue;
                ++written;
                bool faster = found.network.trunks.front().speed.bandwidth_Bps > 12.5e6;
                for (std::size_t m = 0; m < network.machines.size(); ++m) {
                    faster |= found.network.machines[m].port.bandwidth_Bps > network.machines[m].port.bandwidth_Bps;
                }
                EXPECT_FALSE(faster) << share << " in " << rounds << " rounds from " << from << '\n'
                                     << write_topology(found.network, found.head, found.remarks);
            }
        }
    }
    EXPECT_GT(written, 100);
}

}  // namespace
}  // namespace bcastgen
