// Every tree of Algorithm 2's shape over small networks: the static rule against the true loads, and the fast builder's
// height against the best there is.
//
// A tree over 0..P-1 in which every child has a block of neighbouring positions is an ordered tree numbered in
// preorder: there are Catalan(P-1) of them, 429 for eight machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "bcast/trees/kary_tree.hpp"
#include "planner/network/paths.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

struct Candidate {
    bcast::Tree tree;
    int height;
    int fanout;
};

/// All trees numbered in preorder, as parents: position p hangs on p-1 or on one of p-1's ancestors.
std::vector<Candidate> preorder_trees(int machines) {
    std::vector<std::vector<int>> parents{{-1}};
    for (int position = 1; position < machines; ++position) {
        std::vector<std::vector<int>> longer;
        for (const std::vector<int>& parent : parents) {
            for (int at = position - 1; at >= 0; at = parent[static_cast<std::size_t>(at)]) {
                longer.push_back(parent);
                longer.back().push_back(at);
            }
        }
        parents = std::move(longer);
    }
    std::vector<Candidate> trees;
    for (const std::vector<int>& parent : parents) {
        std::vector<std::vector<int>> children(parent.size());
        for (std::size_t p = 1; p < parent.size(); ++p) {
            children[static_cast<std::size_t>(parent[p])].push_back(static_cast<int>(p));
        }
        bcast::Tree tree = bcast::tree_of_children(std::move(children));
        const int tree_height = height_of(tree);
        const int tree_fanout = fanout(tree);
        trees.push_back({std::move(tree), tree_height, tree_fanout});
    }
    return trees;
}

using Sets = std::vector<std::vector<std::uint64_t>>;  // by sender's and receiver's position

/// The first position behind every subtree border that lies between two positions, the receiver's own included.
Sets borders_between(const bcast::Order& order) {
    Sets sets(order.machines.size(), std::vector<std::uint64_t>(order.machines.size(), 0));
    for (int from = 0; from < order.size(); ++from) {
        for (int to = from + 1; to < order.size(); ++to) {
            for (const bcast::Subtree& subtree : order.subtrees) {
                const bool holds_from = subtree.first <= from && from <= subtree.last;
                const bool holds_to = subtree.first <= to && to <= subtree.last;
                if (holds_from == holds_to) continue;
                const int behind = holds_from ? subtree.last + 1 : subtree.first;
                sets[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)] |= std::uint64_t{1} << behind;
            }
        }
    }
    return sets;
}

/// The static rule in its plainest form: the first position behind every border between a position and one of its
/// children is a child too.
bool rule_allows(const Sets& borders, const bcast::Tree& tree) {
    for (std::size_t position = 0; position < tree.children.size(); ++position) {
        std::uint64_t children = 0;
        std::uint64_t crossed = 0;
        for (int child : tree.children[position]) {
            children |= std::uint64_t{1} << child;
            crossed |= borders[position][static_cast<std::size_t>(child)];
        }
        if ((crossed & ~children) != 0) return false;
    }
    return true;
}

/// The links between every two positions as sets of bits: small networks have fewer than 64 directed links.
Sets links_between(const Network& network, const bcast::Order& order) {
    const Paths paths(network);
    Sets sets;
    for (int from : order.machines) {
        sets.emplace_back();
        for (int to : order.machines) {
            std::uint64_t links = 0;
            for (LinkId link : paths.between(from, to)) links |= std::uint64_t{1} << link;
            sets.back().push_back(links);
        }
    }
    return sets;
}

/// The definition itself: no two transmissions of different senders share a directed link.
bool contention_free(const Sets& links, const bcast::Tree& tree) {
    std::uint64_t used = 0;
    for (std::size_t position = 0; position < tree.children.size(); ++position) {
        std::uint64_t by_this = 0;
        for (int child : tree.children[position]) by_this |= links[position][static_cast<std::size_t>(child)];
        if ((used & by_this) != 0) return false;
        used |= by_this;
    }
    return true;
}

void check(const Network& network, const std::vector<int>& members, int root, const std::vector<Candidate>& trees) {
    const bcast::Order order = bcast::depth_first_order(layout_of(network), members, root);
    const Sets links = links_between(network, order);
    const Sets borders = borders_between(order);
    std::vector<int> least(5, order.size());  // radix -> height
    for (const Candidate& candidate : trees) {
        const bool free = contention_free(links, candidate.tree);
        if (rule_allows(borders, candidate.tree) != free) FAIL() << "the rule and the loads differ";
        if (!free) continue;
        for (int radix = std::max(candidate.fanout, 1); radix <= 4; ++radix) {
            int& height_so_far = least[static_cast<std::size_t>(radix)];
            height_so_far = std::min(height_so_far, candidate.height);
        }
    }
    for (int radix = 1; radix <= 4; ++radix) {
        const bcast::Tree fast = bcast::kary_tree(order, radix);
        ASSERT_EQ(height_of(fast), least[static_cast<std::size_t>(radix)]) << "radix " << radix;
        const LoadProof proof = prove_load(network, members, root, {{1.0, machine_edges(order, fast)}});
        ASSERT_TRUE(proof.covers && proof.contention_free) << "radix " << radix;
    }
}

/// All switch trees of so many switches, each hung on one with a lower number.
std::vector<std::vector<std::pair<int, int>>> switch_trees(int switches) {
    std::vector<std::vector<std::pair<int, int>>> trees{{}};
    for (int s = 1; s < switches; ++s) {
        std::vector<std::vector<std::pair<int, int>>> larger;
        for (const auto& tree : trees) {
            for (int above = 0; above < s; ++above) {
                larger.push_back(tree);
                larger.back().emplace_back(above, s);
            }
        }
        trees = std::move(larger);
    }
    return trees;
}

/// All ways to put so many machines on switches, machines in switch order (their names do not matter).
std::vector<std::vector<int>> placements(int machines, int switches) {
    std::vector<std::vector<int>> all{{}};
    for (int m = 0; m < machines; ++m) {
        std::vector<std::vector<int>> longer;
        for (const std::vector<int>& placement : all) {
            for (int s = placement.empty() ? 0 : placement.back(); s < switches; ++s) {
                longer.push_back(placement);
                longer.back().push_back(s);
            }
        }
        all = std::move(longer);
    }
    return all;
}

TEST(KaryTreeExhaustive, BestOfAllTreesOnEverySmallNetworkFromEveryRoot) {
    const std::vector<int> most_switches{0, 5, 5, 5, 5, 5, 4, 4, 3};  // by machines
    for (int machines = 1; machines <= 8; ++machines) {
        const std::vector<Candidate> trees = preorder_trees(machines);
        std::vector<int> members(static_cast<std::size_t>(machines));
        std::iota(members.begin(), members.end(), 0);
        for (int switches = 1; switches <= most_switches[static_cast<std::size_t>(machines)]; ++switches) {
            for (const auto& trunks : switch_trees(switches)) {
                for (const std::vector<int>& placement : placements(machines, switches)) {
                    const Network network = make_network(switches, trunks, placement);
                    for (int root = 0; root < machines; ++root) check(network, members, root, trees);
                    if (HasFatalFailure()) return;
                }
            }
        }
    }
}

TEST(KaryTreeExhaustive, BestOfAllTreesOnRandomNetworksOfSevenToNineMachines) {
    std::mt19937 random(11);
    for (int machines = 7; machines <= 9; ++machines) {
        const std::vector<Candidate> trees = preorder_trees(machines);
        std::vector<int> members(static_cast<std::size_t>(machines));
        std::iota(members.begin(), members.end(), 0);
        for (int round = 0; round < 120; ++round) {
            const auto shape = static_cast<testing::Shape>(round % static_cast<int>(testing::Shape::count));
            const int switches = 1 + static_cast<int>(random() % 12);
            const Network network = testing::random_network(machines, switches, shape, round % 3 == 0, random);
            check(network, members, static_cast<int>(random() % static_cast<unsigned>(machines)), trees);
            if (HasFatalFailure()) return;
        }
    }
}

}  // namespace
}  // namespace bcastgen
