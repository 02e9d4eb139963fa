// Every tree of Algorithm 2's shape over small networks: the static rule against the true loads, and the fast builder's
// height against the best there is.
//
// A tree over 0..P-1 in which every child has a block of neighbouring positions is an ordered tree numbered in
// preorder: there are Catalan(P-1) of them, 429 for eight machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bcast/kary_tree.hpp"
#include "load.hpp"
#include "plan.hpp"
#include "random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

/// All trees numbered in preorder, as parents: position p hangs on p-1 or on one of p-1's ancestors.
std::vector<bcast::Tree> preorder_trees(int machines) {
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
    std::vector<bcast::Tree> trees;
    for (const std::vector<int>& parent : parents) {
        std::vector<std::vector<int>> children(parent.size());
        for (std::size_t p = 1; p < parent.size(); ++p) {
            children[static_cast<std::size_t>(parent[p])].push_back(static_cast<int>(p));
        }
        trees.push_back(bcast::tree_of_children(std::move(children)));
    }
    return trees;
}

/// The static rule in its plainest form: whatever subtree border lies between a position and one of its children, the
/// first position behind that border is a child too (that one or an earlier one).
bool rule_allows(const bcast::Order& order, const bcast::Tree& tree) {
    for (int position = 0; position < tree.size(); ++position) {
        const std::vector<int>& children = tree.children[static_cast<std::size_t>(position)];
        for (int child : children) {
            for (const bcast::Subtree& subtree : order.subtrees) {
                const bool holds_parent = subtree.first <= position && position <= subtree.last;
                const bool holds_child = subtree.first <= child && child <= subtree.last;
                if (holds_parent == holds_child) continue;
                const int behind = holds_parent ? subtree.last + 1 : subtree.first;
                if (std::find(children.begin(), children.end(), behind) == children.end()) return false;
            }
        }
    }
    return true;
}

void check(const Network& network, const std::vector<int>& members, int root, const std::vector<bcast::Tree>& trees) {
    const bcast::Order order = bcast::depth_first_order(layout_of(network), members, root);
    std::vector<int> least(5, order.size());  // radix -> height
    for (const bcast::Tree& tree : trees) {
        const LoadProof proof = prove_load(network, members, root, {{1.0, machine_edges(order, tree)}});
        ASSERT_TRUE(proof.covers);
        ASSERT_EQ(rule_allows(order, tree), proof.contention_free);
        if (!proof.contention_free) continue;
        for (int radix = std::max(fanout(tree), 1); radix <= 4; ++radix) {
            int& height_so_far = least[static_cast<std::size_t>(radix)];
            height_so_far = std::min(height_so_far, height(tree));
        }
    }
    for (int radix = 1; radix <= 4; ++radix) {
        const bcast::Tree fast = bcast::kary_tree(order, radix);
        ASSERT_EQ(height(fast), least[static_cast<std::size_t>(radix)]) << "radix " << radix;
        ASSERT_TRUE(prove_load(network, members, root, {{1.0, machine_edges(order, fast)}}).contention_free);
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
        const std::vector<bcast::Tree> trees = preorder_trees(machines);
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
        const std::vector<bcast::Tree> trees = preorder_trees(machines);
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
