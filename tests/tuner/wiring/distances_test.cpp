#include "tuner/wiring/discovery/distances.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

#include "observable.hpp"
#include "planner/network/paths.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

enum class SoftwareOf { all_alike, each_its_own };

Distances distances_in(const Network& network, double noise, SoftwareOf software, std::mt19937& random) {
    const Paths paths(network);
    std::uniform_real_distribution<double> more(0, noise);
    const std::size_t machines = network.machines.size();
    std::vector<double> software_s(machines, 15e-6);
    for (double& one_s : software_s) {
        if (software == SoftwareOf::each_its_own) one_s = std::array{1e-6, 15e-6, 100e-6}[random() % 3];
    }
    Distances d(machines, std::vector<double>(machines, 0));
    for (std::size_t i = 0; i < machines; ++i) {
        for (std::size_t j = i + 1; j < machines; ++j) {
            double took_s = software_s[i] + software_s[j];
            for (const LinkId link : paths.between(static_cast<int>(i), static_cast<int>(j))) {
                took_s += 2 * link_latency_s(network, link);
            }
            d[i][j] = d[j][i] = took_s * (1 + more(random));
        }
    }
    return d;
}

/// The found switches as a network, so that it can be compared.
Network network_of(const FoundTree& tree, const Network& like) {
    Network network = like;
    network.switches.clear();
    network.trunks.clear();
    for (std::size_t s = 0; s < tree.switches.size(); ++s) {
        network.switches.push_back({"s" + std::to_string(s)});
        for (const int machine : tree.switches[s].machines) {
            network.machines[static_cast<std::size_t>(machine)].sw = static_cast<int>(s);
        }
        if (tree.switches[s].above >= 0) network.trunks.push_back({tree.switches[s].above, static_cast<int>(s), {}});
    }
    return network;
}

RC_GTEST_PROP(TreeOfDistances, IsTheTreeThatCanBeObserved, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const Network network = testing::random_wiring(*rc::gen::inRange(2, 80), random);
    const double noise = *rc::gen::elementOf(std::vector<double>{0, 0.01});
    const SoftwareOf software =
        *rc::gen::elementOf(std::vector<SoftwareOf>{SoftwareOf::all_alike, SoftwareOf::each_its_own});
    const FoundTree tree = tree_of_distances(distances_in(network, noise, software, random));
    RC_ASSERT(testing::observable(network_of(tree, network)) == testing::observable(network));
    RC_ASSERT(tree.misfit < 0.4);
}

// A machine with slow software is nearer to all the fast ones behind a trunk than to its neighbours.
TEST(TreeOfDistances, TellsSlowMachinesFromDistantOnes) {
    std::mt19937 random(1);
    constexpr std::size_t slow = 4;
    std::vector<int> machine_switch(slow, 0);
    machine_switch.insert(machine_switch.end(), 20, 1);
    machine_switch.insert(machine_switch.end(), 4, 2);
    const Network network = testing::make_network(3, {{0, 1}, {1, 2}}, machine_switch);
    Distances d = distances_in(network, 0, SoftwareOf::all_alike, random);
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) {
            if (i != j) d[i][j] += (i < slow ? 100e-6 : 0) + (j < slow ? 100e-6 : 0);
        }
    }
    EXPECT_LT(d[0][slow + 19], d[0][1]);
    const FoundTree tree = tree_of_distances(d);
    EXPECT_EQ(testing::observable(network_of(tree, network)), testing::observable(network));
    EXPECT_LT(tree.misfit, 1e-6);
}

TEST(TreeOfDistances, SaysWhereTimesAreNotThoseOfATree) {
    std::mt19937 random(1);
    const Network network = testing::make_network(3, {{0, 1}, {1, 2}}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
    Distances d = distances_in(network, 0, SoftwareOf::all_alike, random);
    d[0][8] = d[8][0] = d[0][8] / 2;  // while it was measured, somebody changed the network
    d[1][7] = d[7][1] = d[1][7] * 2;
    EXPECT_GT(tree_of_distances(d).misfit, 0.4);
}

TEST(TreeOfDistances, IsOneSwitchWhereNothingTellsSwitchesApart) {
    std::mt19937 random(1);
    Network network = testing::make_network(3, {{0, 1}, {1, 2}}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
    for (Trunk& trunk : network.trunks) trunk.speed.latency_s = 1e-9;
    const FoundTree tree = tree_of_distances(distances_in(network, 0.01, SoftwareOf::all_alike, random));
    EXPECT_EQ(tree.switches.size(), 1U);
    EXPECT_EQ(tree.gap_s, 0);
}

}  // namespace
}  // namespace bcastgen
