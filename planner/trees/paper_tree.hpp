// Algorithm 2 of Pipelined broadcast on Ethernet switched clusters, as printed, and its extension to k-ary trees.
//
// Slow and plain on purpose: the reference with which the fast builder (bcast/trees/kary_tree.hpp) is compared.
#pragma once

#include <stdexcept>

#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// The request asks for more steps than anyone would wait for; the message says how many.
class TooLarge : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The steps of the dynamic programme: choices of a root, its children and a last position, (P choose radix+1).
[[nodiscard]] double paper_tree_steps(int machines, int radix);

/// Throws TooLarge above paper_tree_limit steps.
void check_paper_tree_size(int machines, int radix);

/// The contention-free tree over the order that the paper's dynamic programme finds. With radix 2 every line is the
/// paper's; with a larger radix, as the paper suggests, a tree's positions are divided into up to `radix` blocks, and
/// the send to each block is tested against the trees of the blocks before it. Radix 1 is the linear tree. There is one
/// deviation: a tree's links are kept as a set with it, so that the test of line 17 takes a path rather than a tree,
/// and the whole O(P^3 x path) rather than O(P^4). Throws TooLarge above paper_tree_limit steps.
[[nodiscard]] bcast::Tree paper_tree(const Network& network, const bcast::Order& order, int radix);

inline constexpr double paper_tree_limit = 3e8;  ///< about 1,200 machines at radix 2, 290 at radix 3

}  // namespace bcastgen
