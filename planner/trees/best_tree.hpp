// Lower contention-free k-ary trees than those on the depth-first order, by choosing the order too.
#pragma once

#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"

namespace bcastgen {

struct OrderedTree {
    bcast::Order order;
    bcast::Tree tree;
};

/// The lowest of the trees that bcast::kary_tree builds on the depth-first order, on the interleaved one
/// (arrangement.hpp) and on those that a hill climb finds from there, moving one machine or subtree at a time among
/// those that hang on a switch. Contention-free, never higher than kary_tree on the depth-first order, the same each
/// time. Ours: Pipelined broadcast on Ethernet switched clusters takes the machines of a switch together. The climb
/// makes at most best_tree_steps(machines) steps, each as long as building one tree.
[[nodiscard]] OrderedTree best_tree(const bcast::Layout& layout, const std::vector<int>& members, int root, int radix);

[[nodiscard]] int best_tree_steps(int machines);

}  // namespace bcastgen
