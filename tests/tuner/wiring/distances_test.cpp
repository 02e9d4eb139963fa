#include "tuner/wiring/distances.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "observable.hpp"
#include "planner/network/paths.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

Distances distances_in(const Network& network, double noise, std::mt19937& random) {
    const Paths paths(network);
    std::uniform_real_distribution<double> more(0, noise);
    const std::size_t machines = network.machines.size();
    Distances d(machines, std::vector<double>(machines, 0));
    for (std::size_t i = 0; i < machines; ++i) {
        for (std::size_t j = i + 1; j < machines; ++j) {
            double took_s = 30e-6;
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
    const FoundTree tree = tree_of_distances(distances_in(network, noise, random));
    RC_ASSERT(testing::observable(network_of(tree, network)) == testing::observable(network));
    RC_ASSERT(tree.misfit < 0.4);
}

TEST(TreeOfDistances, SaysWhereTimesAreNotThoseOfATree) {
    std::mt19937 random(1);
    const Network network = testing::make_network(3, {{0, 1}, {1, 2}}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
    Distances d = distances_in(network, 0, random);
    d[0][8] = d[8][0] = d[0][8] / 2;  // while it was measured, somebody changed the network
    d[1][7] = d[7][1] = d[1][7] * 2;
    EXPECT_GT(tree_of_distances(d).misfit, 0.4);
}

TEST(TreeOfDistances, IsOneSwitchWhereNothingTellsSwitchesApart) {
    std::mt19937 random(1);
    Network network = testing::make_network(3, {{0, 1}, {1, 2}}, {0, 0, 0, 1, 1, 1, 2, 2, 2});
    for (Trunk& trunk : network.trunks) trunk.speed.latency_s = 1e-9;
    const FoundTree tree = tree_of_distances(distances_in(network, 0.01, random));
    EXPECT_EQ(tree.switches.size(), 1U);
    EXPECT_EQ(tree.gap_s, 0);
}

}  // namespace
}  // namespace bcastgen
