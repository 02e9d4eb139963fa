#include "planner/network/spanning_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/network/switch_graph.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

double width(const Network& network) {
    double total = 0;
    for (const Trunk& trunk : network.trunks) total += trunk.in_tree ? trunk.speed.bandwidth_Bps * trunk.cables : 0;
    return total;
}

std::vector<std::size_t> kept(const Network& network) {
    std::vector<std::size_t> trunks;
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        if (network.trunks[t].in_tree) trunks.push_back(t);
    }
    return trunks;
}

bool is_tree(const Network& network) {
    Network in_use = network;
    std::erase_if(in_use.trunks, [](const Trunk& trunk) { return !trunk.in_tree; });
    return in_use.trunks.size() + 1 == network.switches.size() && pieces_of(in_use).size() == 1;
}

int least_levels(const Network& network) {
    int least = static_cast<int>(network.switches.size());
    for (int sw = 0; sw < static_cast<int>(network.switches.size()); ++sw) {
        least = std::min(least, hang_from(network, sw).levels);
    }
    return least;
}

/// A connected network of `switches` with some trunks more than a tree needs; bandwidths from 1 to `kinds` Gbit/s.
Network random_cyclic(int switches, int kinds) {
    std::mt19937 random(*rc::gen::arbitrary<std::mt19937::result_type>());
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    std::vector<std::pair<int, int>> trunks = testing::random_switch_tree(switches, testing::Shape::deep, random);
    std::set<std::pair<int, int>> joined;
    for (const auto& [a, b] : trunks) joined.insert(std::minmax(a, b));
    for (int extra = below(switches + 1); extra > 0; --extra) {
        const int a = below(switches);
        const int b = below(switches);
        if (a != b && joined.insert(std::minmax(a, b)).second) trunks.emplace_back(a, b);
    }
    std::shuffle(trunks.begin(), trunks.end(), random);
    Network network = make_network(switches, trunks, {});
    for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps = (1 + below(kinds)) * 125e6;
    for (Switch& sw : network.switches) sw.priority = below(3) * 4096;
    std::vector<std::string> names;
    for (const Switch& sw : network.switches) names.push_back(sw.name);
    std::shuffle(names.begin(), names.end(), random);
    for (std::size_t s = 0; s < names.size(); ++s) network.switches[s].name = names[s];
    return network;
}

TEST(SpanningTree, LeavesATreeAlone) {
    Network network = make_network(4, {{0, 1}, {1, 2}, {1, 3}}, {});
    for (const SpanningTree rule : {SpanningTree::automatic, SpanningTree::stp}) {
        network.spanning_tree = rule;
        choose_spanning_tree(network);
        EXPECT_EQ(kept(network), (std::vector<std::size_t>{0, 1, 2}));
    }
}

TEST(SpanningTree, AutoKeepsTheFatTrunks) {
    Network network = make_network(3, {{0, 1}, {1, 2}, {2, 0}}, {});
    network.trunks[0].speed.bandwidth_Bps /= 10;
    choose_spanning_tree(network);
    EXPECT_EQ(kept(network), (std::vector<std::size_t>{1, 2}));
    network.trunks[0].cables = 20;  // two hundred against a hundred now
    network.trunks[2].speed.bandwidth_Bps /= 2;
    choose_spanning_tree(network);
    EXPECT_EQ(kept(network), (std::vector<std::size_t>{0, 1}));
}

TEST(SpanningTree, AutoKeepsARingShallow) {
    Network network = make_network(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0}}, {});
    choose_spanning_tree(network);
    EXPECT_TRUE(is_tree(network));
    EXPECT_EQ(least_levels(network), 4);
}

TEST(SpanningTree, AutoKeepsOneSpineOfAFatTree) {
    std::vector<std::pair<int, int>> trunks;
    for (int spine = 0; spine < 2; ++spine) {
        for (int leaf = 2; leaf < 6; ++leaf) trunks.emplace_back(spine, leaf);
    }
    Network network = make_network(6, trunks, {});
    choose_spanning_tree(network);
    EXPECT_EQ(kept(network), (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(SpanningTree, StpCostsAreTheStandards) {
    // IEEE 802.1D-2004, table 17-3
    for (const auto& [bandwidth_bit_per_s, cost] : std::vector<std::pair<double, std::uint64_t>>{{100e3, 200'000'000},
                                                                                                 {1e6, 20'000'000},
                                                                                                 {10e6, 2'000'000},
                                                                                                 {100e6, 200'000},
                                                                                                 {1e9, 20'000},
                                                                                                 {10e9, 2'000},
                                                                                                 {100e9, 200},
                                                                                                 {1e12, 20},
                                                                                                 {10e12, 2},
                                                                                                 {100e12, 1},
                                                                                                 {1e3, 200'000'000}}) {
        EXPECT_EQ(stp_path_cost({0, 1, {bandwidth_bit_per_s / 8, 1e-6}, 1, true}), cost) << bandwidth_bit_per_s;
    }
    EXPECT_EQ(stp_path_cost({0, 1, {10e9 / 8, 1e-6}, 4, true}), 500U);
}

TEST(SpanningTree, StpElectsByPriorityThenName) {
    Network network = make_network(3, {{0, 1}, {1, 2}, {2, 0}}, {});
    network.spanning_tree = SpanningTree::stp;
    EXPECT_EQ(stp_root(network), 0);
    network.switches[0].name = "z";
    EXPECT_EQ(stp_root(network), 1);
    network.switches[2].priority = 4096;
    EXPECT_EQ(stp_root(network), 2);
    choose_spanning_tree(network);
    EXPECT_EQ(kept(network), (std::vector<std::size_t>{1, 2}));
}

TEST(SpanningTree, StpPrefersAWideDetourAndOnTiesTheLowerBridge) {
    Network network = make_network(4, {{0, 3}, {0, 1}, {0, 2}, {2, 3}, {1, 3}}, {});
    network.spanning_tree = SpanningTree::stp;
    network.trunks[0].speed.bandwidth_Bps /= 10;
    choose_spanning_tree(network);
    EXPECT_EQ(kept(network), (std::vector<std::size_t>{1, 2, 4}));
}

// What bridges do: each tells its neighbours the best (root, cost, sender) that it knows of until nothing changes.
std::vector<std::size_t> agreed_by_bridges(const Network& network) {
    using Id = std::pair<int, std::string>;
    struct Bridge {
        Id root;
        std::uint64_t cost;
        std::tuple<Id, std::uint64_t, Id> heard;  // root, cost through the port, sender
        int port;
    };
    std::vector<Bridge> bridges;
    std::vector<Id> ids;
    for (const Switch& sw : network.switches) ids.emplace_back(sw.priority, sw.name);
    for (const Id& id : ids) bridges.push_back({id, 0, {id, 0, id}, -1});
    for (std::size_t round = 0; round < 2 * network.switches.size(); ++round) {
        const std::vector<Bridge> said = bridges;
        for (std::size_t sw = 0; sw < bridges.size(); ++sw) bridges[sw] = {ids[sw], 0, {ids[sw], 0, ids[sw]}, -1};
        for (std::size_t t = 0; t < network.trunks.size(); ++t) {
            const auto a = static_cast<std::size_t>(network.trunks[t].a);
            const auto b = static_cast<std::size_t>(network.trunks[t].b);
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                const std::uint64_t cost = said[from].cost + stp_path_cost(network.trunks[t]);
                const std::tuple heard{said[from].root, cost, ids[from]};
                if (heard < bridges[to].heard) bridges[to] = {said[from].root, cost, heard, static_cast<int>(t)};
            }
        }
    }
    std::vector<std::size_t> trunks;
    for (const Bridge& bridge : bridges) {
        if (bridge.port >= 0) trunks.push_back(static_cast<std::size_t>(bridge.port));
    }
    std::sort(trunks.begin(), trunks.end());
    return trunks;
}

RC_GTEST_PROP(SpanningTree, StpIsWhatBridgesAgreeOn, ()) {
    Network network = random_cyclic(*rc::gen::inRange(2, 12), 3);
    network.spanning_tree = SpanningTree::stp;
    const std::vector<std::size_t> agreed = agreed_by_bridges(network);
    choose_spanning_tree(network);
    RC_ASSERT(is_tree(network));
    RC_ASSERT(kept(network) == agreed);
}

RC_GTEST_PROP(SpanningTree, AutoIsAsWideAsAnySpanningTree, ()) {
    Network network = random_cyclic(*rc::gen::inRange(2, 7), *rc::gen::inRange(1, 4));
    choose_spanning_tree(network);
    RC_ASSERT(is_tree(network));
    const bool uniform = std::all_of(network.trunks.begin(), network.trunks.end(), [&](const Trunk& trunk) {
        return trunk.speed.bandwidth_Bps == network.trunks.front().speed.bandwidth_Bps;
    });
    Network other = network;
    for (unsigned subset = 0; subset < 1U << network.trunks.size(); ++subset) {
        for (std::size_t t = 0; t < other.trunks.size(); ++t) other.trunks[t].in_tree = (subset >> t & 1U) != 0;
        if (!is_tree(other)) continue;
        RC_ASSERT(width(other) <= width(network));
        if (uniform) RC_ASSERT(least_levels(network) <= least_levels(other));
    }
}

RC_GTEST_PROP(SpanningTree, TheCentralSwitchMakesTheTreeLeastDeep, ()) {
    Network network = random_cyclic(*rc::gen::inRange(1, 20), 3);
    choose_spanning_tree(network);
    RC_ASSERT(hang_from(network, central_switch(network)).levels == least_levels(network));
}

RC_GTEST_PROP(SwitchGraph, EveryTrunkBeyondATreeClosesItsCycle, ()) {
    const Network network = random_cyclic(*rc::gen::inRange(2, 10), 1);
    const std::vector<Cycle> cycles = cycles_of(network, network.trunks.size());
    RC_ASSERT(cycles.size() == network.trunks.size() + 1 - network.switches.size());
    std::set<std::pair<int, int>> joined;
    for (const Trunk& trunk : network.trunks) joined.insert(std::minmax(trunk.a, trunk.b));
    for (const Cycle& cycle : cycles) {
        const Trunk& closing = network.trunks[static_cast<std::size_t>(cycle.trunk)];
        RC_ASSERT(cycle.switches.front() == closing.a);
        RC_ASSERT(cycle.switches.back() == closing.b);
        RC_ASSERT(cycle.switches.size() >= 3U);
        for (std::size_t i = 0; i < cycle.switches.size(); ++i) {
            RC_ASSERT(joined.contains(std::minmax(cycle.switches[i], cycle.switches[(i + 1) % cycle.switches.size()])));
        }
    }
}

TEST(SwitchGraph, NamesThePiecesInFileOrder) {
    const Network network = make_network(5, {{0, 3}, {4, 1}}, {});
    EXPECT_EQ(pieces_of(network), (std::vector<std::vector<int>>{{0, 3}, {1, 4}, {2}}));
}

TEST(SpanningTree, CopesWithALargeClos) {
    std::vector<std::pair<int, int>> trunks;
    for (int leaf = 0; leaf < 500; ++leaf) {
        for (int spine = 500; spine < 550; ++spine) trunks.emplace_back(leaf, spine);
    }
    Network network = make_network(550, trunks, {});
    choose_spanning_tree(network);
    EXPECT_TRUE(is_tree(network));
    EXPECT_EQ(least_levels(network), 3);
}

}  // namespace
}  // namespace bcastgen
