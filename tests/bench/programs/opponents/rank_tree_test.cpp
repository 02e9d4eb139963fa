#include "bench/programs/opponents/rank_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

/// Switches s0-s1-s2 in a row, and s3 and s4 at s2; ranks 0 1 2 | 3 4 | 5 | 6 7 | 8.
Wiring row_of_five() {
    const Network network = testing::make_network(5, {{0, 1}, {1, 2}, {2, 3}, {2, 4}}, {0, 0, 0, 1, 1, 2, 3, 3, 4});
    return wiring_of(layout_of(network), {0, 1, 2, 3, 4, 5, 6, 7, 8});
}

struct Random {
    Wiring wiring;
    int root;
};

/// Ranks on some machines of a random network, several on some of them, in any sequence.
Random random_ranks() {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(40);
    const auto shape = static_cast<testing::Shape>(below(static_cast<int>(testing::Shape::count)));
    const Network network = testing::random_network(machines, 1 + below(10), shape, below(2) == 0, random);
    std::vector<int> machine_of_rank;
    for (int rank = 1 + below(60); rank >= 0; --rank) machine_of_rank.push_back(below(machines));
    Random ranks{wiring_of(layout_of(network), machine_of_rank), 0};
    ranks.root = below(ranks.wiring.ranks());
    return ranks;
}

int places_in(const std::vector<int>& place_of_rank) {
    return static_cast<int>(std::set<int>(place_of_rank.begin(), place_of_rank.end()).size());
}

int edges_between(const RankTree& tree, const std::vector<int>& place_of_rank) {
    int edges = 0;
    for (std::size_t rank = 0; rank < tree.parent.size(); ++rank) {
        const int parent = tree.parent[rank];
        if (parent >= 0 && place_of_rank[static_cast<std::size_t>(parent)] != place_of_rank[rank]) ++edges;
    }
    return edges;
}

/// Whether everyone is reached from the root, once, and both ends of an edge know it.
bool spans(const RankTree& tree, int root) {
    std::vector<int> reached{root};
    std::set<int> seen{root};
    for (std::size_t at = 0; at < reached.size(); ++at) {
        for (const int child : tree.children[static_cast<std::size_t>(reached[at])]) {
            if (tree.parent[static_cast<std::size_t>(child)] != reached[at] || !seen.insert(child).second) return false;
            reached.push_back(child);
        }
    }
    return reached.size() == tree.parent.size() && tree.parent[static_cast<std::size_t>(root)] == -1;
}

TEST(Wiring, GroupsAreWhatTheMiddleSwitchJoins) {
    // The longest way is s0 s1 s2 s4, whose middle is s1 or s2: here s2.
    const Wiring wiring = row_of_five();
    EXPECT_EQ(wiring.switch_of_rank, (std::vector<int>{0, 0, 0, 1, 1, 2, 3, 3, 4}));
    EXPECT_EQ(wiring.group_of_rank, (std::vector<int>{1, 1, 1, 1, 1, 2, 3, 3, 4}));
}

TEST(TopologyKary, JoinsGroupsThenSwitchesThenRanks) {
    const RankTree tree = topology_kary_tree(row_of_five(), 4, 2);
    // Groups from the root's on, then the largest first: 4 3, 0 1 2 | 6 7 | 5 | 8.
    EXPECT_EQ(tree.parent, (std::vector<int>{4, 0, 0, 4, -1, 4, 4, 6, 6}));
    EXPECT_EQ(tree.children[4], (std::vector<int>{6, 5, 0, 3}));
    EXPECT_EQ(tree.children[6], (std::vector<int>{8, 7}));
}

TEST(TopologyKary, OneChildMakesChains) {
    const RankTree tree = topology_kary_tree(row_of_five(), 0, 1);
    EXPECT_EQ(tree.parent, (std::vector<int>{-1, 0, 1, 0, 3, 6, 0, 6, 5}));
}

TEST(TopologyWave, EachRankIsReachedAsEarlyAsItCan) {
    // On one switch: the root is free at 0, 200, 400, …; a rank that was reached at 2000 sends on from then.
    const Network network = testing::make_network(1, {}, std::vector<int>(14, 0));
    const Wiring wiring = wiring_of(layout_of(network), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
    const RankTree tree = topology_wave_tree(wiring, 0);
    EXPECT_EQ(tree.children[0], (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13}));
    EXPECT_EQ(tree.children[1], (std::vector<int>{12}));
}

TEST(TwoLevels, AreBinomial) {
    const TwoLevels levels = two_levels(row_of_five(), 4);
    // First ranks of switches, the root's and then the largest first: 4 0 6 5 8.
    EXPECT_EQ(levels.upper.parent, (std::vector<int>{4, -1, -1, -1, -1, 6, 4, -1, 4}));
    EXPECT_EQ(levels.lower.parent, (std::vector<int>{-1, 0, 0, 4, -1, -1, -1, 6, -1}));
    EXPECT_EQ(levels.upper.children[4], (std::vector<int>{8, 6, 0}));
}

TEST(TwoLevels, OfOneSwitchAreMachinesAndTheirRanks) {
    const Network network = testing::make_network(1, {}, {0, 0});
    const TwoLevels levels = two_levels(wiring_of(layout_of(network), {0, 0, 1, 1}), 3);
    EXPECT_EQ(levels.upper.parent, (std::vector<int>{3, -1, -1, -1}));
    EXPECT_EQ(levels.lower.parent, (std::vector<int>{-1, 0, 3, -1}));
}

RC_GTEST_PROP(TopologyTrees, SpanAndEnterEachSwitchAndGroupOnce, ()) {
    const Random one = random_ranks();
    const int most_children = *rc::gen::inRange(1, 6);
    const RankTree kary = topology_kary_tree(one.wiring, one.root, most_children);
    RC_ASSERT(spans(kary, one.root));
    RC_ASSERT(edges_between(kary, one.wiring.switch_of_rank) == places_in(one.wiring.switch_of_rank) - 1);
    RC_ASSERT(edges_between(kary, one.wiring.group_of_rank) == places_in(one.wiring.group_of_rank) - 1);
    for (const std::vector<int>& children : kary.children) {
        RC_ASSERT(static_cast<int>(children.size()) <= 3 * most_children);  // on each of three levels
    }
    RC_ASSERT(spans(topology_wave_tree(one.wiring, one.root), one.root));
}

RC_GTEST_PROP(TwoLevels, ReachEveryRankOnOneLevel, ()) {
    const Random one = random_ranks();
    const TwoLevels levels = two_levels(one.wiring, one.root);
    RankTree joined(one.wiring.ranks());
    for (const RankTree* level : {&levels.upper, &levels.lower}) {
        for (int rank = 0; rank < one.wiring.ranks(); ++rank) {
            const int parent = level->parent[static_cast<std::size_t>(rank)];
            if (parent < 0) continue;
            RC_ASSERT(joined.parent[static_cast<std::size_t>(rank)] < 0);
            joined.add(parent, rank);
        }
    }
    RC_ASSERT(spans(joined, one.root));
    if (places_in(one.wiring.switch_of_rank) == 1) return;
    RC_ASSERT(edges_between(levels.lower, one.wiring.switch_of_rank) == 0);
    RC_ASSERT(edges_between(levels.upper, one.wiring.switch_of_rank) == places_in(one.wiring.switch_of_rank) - 1);
}

}  // namespace
}  // namespace bcastgen
