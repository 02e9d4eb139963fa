#include "tuner/wiring/verification.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "located.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "recorded_noise.hpp"
#include "true_network.hpp"
#include "tuner/wiring/verdict_formats.hpp"

namespace bcastgen {
namespace {

using testing::Difference;
using testing::Fault;
using testing::Noise;

WiringVerdict verified(const Network& described, const Network& truth, unsigned seed, const Noise& noise = {}) {
    std::vector<int> machines(described.machines.size());
    std::iota(machines.begin(), machines.end(), 0);
    return verify_network(described, machines, testing::instrument_of(truth, noise, seed), seed);
}

struct Broken {
    Network described;
    Network truth;
    Difference fault;
};

/// A random network with one such fault.
Broken broken(Fault kind, std::mt19937& random) {
    Broken one;
    do {
        one.described = testing::random_wiring(16 + static_cast<int>(random() % 64), random);
        one.truth = one.described;
    } while (!testing::break_one(one.truth, kind, one.fault, random));
    return one;
}

class Verification : public ::testing::TestWithParam<Fault> {};

// Seeds are fixed: chance has its share in what noise hides. verify_faults (CMakeLists.txt) tries many, by hand.
TEST_P(Verification, LocatesTheFaultAndNothingElse) {
    for (unsigned seed = 4; seed < 8; ++seed) {
        std::mt19937 random(seed);
        const auto [described, truth, fault] = broken(GetParam(), random);
        const WiringVerdict verdict = verified(described, truth, seed);
        EXPECT_TRUE(testing::is_located(truth, fault, verdict)) << seed << '\n' << verdict_text(described, verdict);
        // The corrected file is one, and true. Files have machines switch by switch.
        const Network corrected = read_topology(corrected_topology(described, verdict), "corrected.yaml");
        const Network written = read_topology(write_topology(truth, {}), "truth.yaml");
        const WiringVerdict again = verified(corrected, written, seed + 100);
        EXPECT_TRUE(again.findings.empty()) << seed << '\n' << verdict_text(corrected, again);
    }
}

INSTANTIATE_TEST_SUITE_P(Faults, Verification,
                         ::testing::Values(Fault::slow_port, Fault::slow_trunk, Fault::moved_machine,
                                           Fault::swapped_machines, Fault::missing_cable));

TEST(VerificationOfTrueNetworks, FindsNothing) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(2 + static_cast<int>(random() % 80), random);
        const WiringVerdict verdict = verified(network, network, seed);
        EXPECT_TRUE(verdict.findings.empty() && verdict.unclear.empty()) << verdict_text(network, verdict);
    }
}

// As far off as rates and round trips were on an emulated cluster.
TEST(VerificationOfTrueNetworks, FindsNothingInRecordedNoise) {
    Noise noise;
    noise.recorded = &testing::recorded_noise();
    ASSERT_FALSE(noise.recorded->rates.empty() || noise.recorded->round_trips.empty());
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(16 + static_cast<int>(random() % 64), random);
        const WiringVerdict verdict = verified(network, network, seed, noise);
        EXPECT_TRUE(verdict.findings.empty() && verdict.unclear.empty()) << seed << verdict_text(network, verdict);
    }
}

TEST(VerificationWithRecordedNoise, LocatesFaults) {
    Noise noise;
    noise.recorded = &testing::recorded_noise();
    int located = 0;
    constexpr unsigned trials = 20;
    for (unsigned seed = 0; seed < trials; ++seed) {
        std::mt19937 random(seed);
        const auto [described, truth, fault] =
            broken(static_cast<Fault>(seed % static_cast<unsigned>(Fault::count)), random);
        located += testing::is_located(truth, fault, verified(described, truth, seed, noise)) ? 1 : 0;
    }
    EXPECT_EQ(located, trials);
}

/// Two switches of eight and a row of them behind trunks that are no wider than a port.
Network row_of_switches() {
    std::vector<int> machine_switch;
    for (int m = 0; m < 32; ++m) machine_switch.push_back(m / 8);
    return testing::make_network(4, {{0, 1}, {1, 2}, {2, 3}}, machine_switch);
}

TEST(VerificationWithoutRoundTrips, FindsMovedMachinesByTheTrunksThatTheyShare) {
    Noise noise;
    noise.round_trips = 20;
    for (unsigned seed = 0; seed < 8; ++seed) {
        const Network described = row_of_switches();
        Network truth = described;
        truth.machines[seed].sw = 1 + static_cast<int>(seed % 3);
        const WiringVerdict verdict = verified(described, truth, seed, noise);
        EXPECT_FALSE(verdict.round_trips_tell);
        ASSERT_EQ(verdict.findings.size(), 1U) << verdict_text(described, verdict);
        EXPECT_TRUE(verdict.findings.front().by_rates);
        EXPECT_EQ(verdict.findings.front().machine, static_cast<int>(seed));
        EXPECT_EQ(verdict.findings.front().is_on, 1 + static_cast<int>(seed % 3));
    }
}

/// A star of four switches with four machines each: whoever changes places, few are left to compare with.
Network small_star() {
    std::vector<int> machine_switch;
    for (int m = 0; m < 16; ++m) machine_switch.push_back(m / 4);
    return testing::make_network(4, {{0, 1}, {0, 2}, {0, 3}}, machine_switch);
}

TEST(VerificationWithoutRoundTrips, FindsSwappedMachinesThoughTheirTrunkSeemsFaster) {
    const Noise noise = testing::rates_alone();
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const Network described = small_star();
        Network truth = described;
        Difference fault;
        while (!testing::break_one(truth, Fault::swapped_machines, fault, random)) continue;
        const WiringVerdict verdict = verified(described, truth, seed, noise);
        EXPECT_FALSE(verdict.round_trips_tell);
        EXPECT_TRUE(testing::is_located(truth, fault, verdict)) << seed << '\n' << verdict_text(described, verdict);
        EXPECT_TRUE(verdict.unclear.empty());
    }
}

// With three machines a switch a trunk of twice their ports' speed is hard to tell from one of three times that.
TEST(VerificationWithoutRoundTrips, CallsNoTrunkFasterThatMachinesMayOnlySeemToCross) {
    int located = 0;
    constexpr unsigned trials = 30;
    for (unsigned seed = 0; seed < trials; ++seed) {
        Network described = testing::make_network(3, {{0, 1}, {0, 2}}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
        described.trunks[1].speed.bandwidth_Bps *= 2;
        Network truth = described;
        std::swap(truth.machines[2].sw, truth.machines[8].sw);
        const WiringVerdict verdict =
            verified(described, truth, seed, seed % 2 == 0 ? testing::rates_alone() : Noise());
        for (const Finding& one : verdict.findings) EXPECT_EQ(one.differs, Differs::place) << seed;
        EXPECT_FALSE(verdict.findings.empty() && verdict.unclear.empty()) << seed;
        located += verdict.findings.size() == 2 ? 1 : 0;
    }
    EXPECT_GE(located, trials / 2);
}

TEST(VerificationWithoutRoundTrips, FindsNothingInTrueNetworks) {
    const Noise noise = testing::rates_alone();
    for (unsigned seed = 0; seed < 20; ++seed) {
        std::mt19937 random(seed);
        const Network network = testing::random_wiring(16 + static_cast<int>(random() % 32), random);
        const WiringVerdict verdict = verified(network, network, seed, noise);
        EXPECT_TRUE(verdict.findings.empty() && verdict.unclear.empty()) << seed << verdict_text(network, verdict);
    }
}

// What no rates tell apart is said, and nothing is made of it: the trunk beyond carries more than all there can send.
TEST(VerificationWithoutRoundTrips, SaysWhichPlacesItCannotTellApart) {
    Network described = row_of_switches();
    described.trunks[2].speed.bandwidth_Bps *= 40;
    Network truth = described;
    truth.machines[3].sw = 2;
    Noise noise;
    noise.round_trips = 20;
    const WiringVerdict verdict = verified(described, truth, 1, noise);
    EXPECT_TRUE(verdict.findings.empty()) << verdict_text(described, verdict);
    ASSERT_EQ(verdict.unclear.size(), 1U);
    EXPECT_NE(verdict.unclear.front().find("m3 on s2"), std::string::npos) << verdict.unclear.front();
    EXPECT_NE(verdict.unclear.front().find("m3 on s3"), std::string::npos) << verdict.unclear.front();
    EXPECT_EQ(verdict.corrected.machines[3].sw, described.machines[3].sw);
}

TEST(Verification, SeesLinksThatAreFasterThanDescribed) {
    const Network described = row_of_switches();
    Network truth = described;
    truth.trunks[1].speed.bandwidth_Bps *= 4;
    const WiringVerdict verdict = verified(described, truth, 1);
    ASSERT_EQ(verdict.findings.size(), 1U) << verdict_text(described, verdict);
    EXPECT_EQ(verdict.findings.front().trunk, 1);
    EXPECT_GT(verdict.findings.front().is_Bps, 1.5 * described.trunks[1].speed.bandwidth_Bps);
}

// Three slow ports of four would explain all streams in which one sends to one, so these do not tell of the fourth.
TEST(Verification, FindsAllPortsThatAreSlow) {
    const Network described = read_topology(R"(name: t
defaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}
switches: {s0: {machines: "n[0,3]"}, s1: {machines: n1}, s2: {machines: n2}}
links: [{between: [s0, s1]}, {between: [s0, s2]}]
)",
                                            "t.yaml");
    for (const std::size_t quick : {std::size_t{4}, std::size_t{0}}) {  // 4: none is
        Network truth = described;
        for (std::size_t m = 0; m < 4; ++m) {
            if (m != quick) truth.machines[m].port.bandwidth_Bps /= 10;
        }
        for (unsigned seed = 0; seed < 8; ++seed) {
            for (const bool round_trips_tell : {true, false}) {
                const WiringVerdict verdict =
                    verified(described, truth, seed, round_trips_tell ? Noise() : testing::rates_alone());
                for (std::size_t m = 0; m < 4; ++m) {
                    EXPECT_DOUBLE_EQ(verdict.corrected.machines[m].port.bandwidth_Bps,
                                     truth.machines[m].port.bandwidth_Bps)
                        << seed << '\n'
                        << verdict_text(described, verdict);
                }
            }
        }
    }
}

TEST(VerdictText, SaysWhatDiffersAndShowsWhere) {
    Network described = row_of_switches();
    described.trunks[0].cables = 2;
    described.trunks[2].speed.bandwidth_Bps = 125e6 * 40;
    Network truth = described;
    truth.trunks[0].cables = 1;
    truth.machines[3].port.bandwidth_Bps = 1.25e6;
    truth.machines[30].sw = 0;
    const Noise none{0, 0, 1, 30e-6};
    const WiringVerdict verdict = verified(described, truth, 1, none);
    EXPECT_EQ(verdict_text(described, verdict),
              R"(test: 3 differences, 32 machines in 54 rounds; streams get 100 % of what links have

  m30 hangs on s0, not on s3
      by round trips to machines of every switch

  port of m3 on s0: 10Mbit/s, not 100Mbit/s
      m3 to s0 10Mbit/s (each of 5 times), s0 to m3 10Mbit/s (each of 5 times)

  trunk s0 - s1: 1 cable of 100Mbit/s, not 2
      s0 to s1 100Mbit/s (each of 5 times), s1 to s0 100Mbit/s (each of 5 times)

not shown by any stream:
  trunk s2 - s3: of 40Gbit/s no more than 700Mbit/s can be sent over it

  s1                                    8 machines  m[8-15]
  ├─ s0     2 cables of 100Mbit/s 20us  8 machines  m[0-7]    <- and m30
  │                                                           <- m3: 10Mbit/s
  │                                                           <- trunk s0 - s1: 1 cable of 100Mbit/s, not 2
  └─ s2     100Mbit/s 20us              8 machines  m[16-23]
     └─ s3  40Gbit/s 20us               8 machines  m[24-31]  <- without m30: on s0
)");
    EXPECT_EQ(verdict_json(described, verdict), R"({
  "format": "bcastgen-verify/1",
  "topology": "test",
  "true": false,
  "machines": 32,
  "rounds": 54,
  "efficiency": 1.0,
  "round_trips_tell": true,
  "differences": [
    {"differs":"place","machine":"m30","described_switch":"s3","switch":"s0","by":"round trips"},
    {"differs":"port","machine":"m3","switch":"s0","described_Bps":12500000.0,"bandwidth_Bps":1250000.0,"out":{"median_Bps":1250000.0,"least_Bps":1250000.0,"greatest_Bps":1250000.0,"measurements":5},"in":{"median_Bps":1250000.0,"least_Bps":1250000.0,"greatest_Bps":1250000.0,"measurements":5},"or":[]},
    {"differs":"trunk","between":["s0","s1"],"cables":1,"described_Bps":25000000.0,"bandwidth_Bps":12500000.0,"out":{"median_Bps":12500000.0,"least_Bps":12500000.0,"greatest_Bps":12500000.0,"measurements":5},"in":{"median_Bps":12500000.0,"least_Bps":12500000.0,"greatest_Bps":12500000.0,"measurements":5},"or":[]}
  ],
  "unclear": [],
  "not_shown": ["trunk s2 - s3: of 40Gbit/s no more than 700Mbit/s can be sent over it"]
}
)");
    EXPECT_EQ(corrected_topology(described, verdict),
              R"(# Corrected by bcastgen verify: 3 changes, each with a comment above it.
name: test
defaults:
  link: {bandwidth: 100Mbit/s, latency: 20us}
switches:
  # m30 hangs on s0, not on s3: by round trips to machines of every switch
  s0: {machines: "m[0-7,30]"}
  s1: {machines: "m[8-15]"}
  s2: {machines: "m[16-23]"}
  s3: {machines: "m[24-29,31]"}
links:
  # trunk s0 - s1: 1 cable of 100Mbit/s, not 2: s0 to s1 100Mbit/s (each of 5 times), s1 to s0 100Mbit/s (each
  #   of 5 times)
  - {between: [s0, s1]}
  - {between: [s1, s2]}
  - {between: [s2, s3], bandwidth: 40Gbit/s}
machines:
  # port of m3 on s0: 10Mbit/s, not 100Mbit/s: m3 to s0 10Mbit/s (each of 5 times), s0 to m3 10Mbit/s (each of
  #   5 times)
  "m3": {link: {bandwidth: 10Mbit/s}}
)");
}

}  // namespace
}  // namespace bcastgen
