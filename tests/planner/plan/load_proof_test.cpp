#include "planner/plan/load_proof.hpp"

#include <gtest/gtest.h>

#include "planner/network/paths.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

/// s0 in the middle of s1, s2, s3; machine i on switch i mod 4.
Network star() {
    return make_network(4, {{0, 1}, {2, 0}, {0, 3}}, {0, 1, 2, 3, 0, 1, 2, 3});
}

std::vector<int> all_machines(const Network& network) {
    std::vector<int> machines;
    for (std::size_t m = 0; m < network.machines.size(); ++m) machines.push_back(static_cast<int>(m));
    return machines;
}

std::vector<std::string> names(const Network& network, const std::vector<LinkId>& path) {
    std::vector<std::string> result;
    for (LinkId link : path) result.push_back(link_from(network, link) + ">" + link_to(network, link));
    return result;
}

TEST(Paths, CrossEachLinkInItsDirection) {
    const Network network = star();
    const Paths paths(network);
    EXPECT_EQ(names(network, paths.between(1, 2)), (std::vector<std::string>{"m1>s1", "s1>s0", "s0>s2", "s2>m2"}));
    EXPECT_EQ(names(network, paths.between(2, 1)), (std::vector<std::string>{"m2>s2", "s2>s0", "s0>s1", "s1>m1"}));
    EXPECT_EQ(names(network, paths.between(0, 4)), (std::vector<std::string>{"m0>s0", "s0>m4"}));
    EXPECT_TRUE(paths.between(3, 3).empty());
}

TEST(Paths, LeaveOutTrunksThatTheSpanningTreeKeepsIdle) {
    Network network = make_network(3, {{0, 1}, {1, 2}, {0, 2}}, {0, 1, 2});
    network.trunks[2].in_tree = false;
    EXPECT_EQ(names(network, Paths(network).between(0, 2)),
              (std::vector<std::string>{"m0>s0", "s0>s1", "s1>s2", "s2>m2"}));
}

TEST(LoadProof, CountsEveryTransmissionOnEveryLink) {
    const Network network = star();
    const std::vector<int> machines = all_machines(network);
    const LoadProof by_number =
        prove_load(network, machines, 0, {{1.0, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}}}});
    EXPECT_TRUE(by_number.covers);
    EXPECT_FALSE(by_number.contention_free);
    EXPECT_DOUBLE_EQ(by_number.loads[static_cast<std::size_t>(trunk_link(network, 0, true))], 2);   // s0 to s1
    EXPECT_DOUBLE_EQ(by_number.loads[static_cast<std::size_t>(trunk_link(network, 1, true))], 2);   // s2 to s0
    EXPECT_DOUBLE_EQ(by_number.loads[static_cast<std::size_t>(trunk_link(network, 2, false))], 1);  // s3 to s0
    EXPECT_DOUBLE_EQ(by_number.stage, 2);

    const LoadProof by_switch =
        prove_load(network, machines, 0, {{1.0, {{0, 4}, {4, 1}, {1, 5}, {5, 2}, {2, 6}, {6, 3}, {3, 7}}}});
    EXPECT_TRUE(by_switch.covers);
    EXPECT_TRUE(by_switch.contention_free);
    EXPECT_DOUBLE_EQ(by_switch.stage, 1);
}

TEST(LoadProof, OneSenderMaySendToAllItsChildrenOverOneLink) {
    const Network network = star();
    const LoadProof proof = prove_load(network, {0, 1, 5}, 0, {{1.0, {{0, 1}, {0, 5}}}});
    EXPECT_TRUE(proof.covers);
    EXPECT_TRUE(proof.contention_free);
    EXPECT_DOUBLE_EQ(proof.stage, 2);
}

TEST(LoadProof, FindsMachinesThatAreMissedOrReachedTwiceOrNeverStarted) {
    const Network network = star();
    EXPECT_TRUE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{0, 1}, {1, 2}}}}).covers);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{0, 1}}}}).covers);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{0, 1}, {0, 2}, {1, 2}}}}).covers);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{1, 2}, {2, 1}}}}).covers);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{0, 1}, {1, 0}, {1, 2}}}}).covers);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {{1.0, {{0, 1}, {1, 2}, {2, 3}}}}).covers);
}

TEST(LoadProof, TwoTreesShareLinksUpToLoadOne) {
    const Network network = star();
    const Transmissions forth{0.5, {{0, 1}, {1, 2}}};
    const Transmissions back{0.5, {{0, 2}, {2, 1}}};
    const LoadProof proof = prove_load(network, {0, 1, 2}, 0, {forth, back});
    EXPECT_TRUE(proof.covers);
    EXPECT_TRUE(proof.contention_free);
    EXPECT_DOUBLE_EQ(proof.stage, 1);
    EXPECT_FALSE(prove_load(network, {0, 1, 2}, 0, {forth, {1.0, back.edges}}).contention_free);
}

TEST(LoadProof, StageWeighsLoadByBandwidth) {
    Network network = star();
    const Transmissions chain{1.0, {{0, 1}, {1, 2}}};
    network.trunks[1].speed.bandwidth_Bps *= 10;
    EXPECT_DOUBLE_EQ(prove_load(network, {0, 1, 2}, 0, {chain}).stage, 1);
    network.machines[1].port.bandwidth_Bps /= 4;
    EXPECT_DOUBLE_EQ(prove_load(network, {0, 1, 2}, 0, {chain}).stage, 4);
    network.trunks[0].cables = 8;  // one transmission takes one cable
    network.trunks[0].speed.bandwidth_Bps /= 8;
    EXPECT_DOUBLE_EQ(prove_load(network, {0, 1, 2}, 0, {chain}).stage, 8);
    network.machines[7].port.bandwidth_Bps *= 2;  // takes no part
    EXPECT_DOUBLE_EQ(prove_load(network, {0, 1, 2}, 0, {chain}).stage, 8);
    network.machines[2].port.bandwidth_Bps *= 2;  // the reference
    EXPECT_DOUBLE_EQ(prove_load(network, {0, 1, 2}, 0, {chain}).stage, 16);
}

}  // namespace
}  // namespace bcastgen
