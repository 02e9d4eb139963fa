// Lower bounds on the heights of trees, whatever the network.
#pragma once

#include <vector>

namespace bcastgen {

[[nodiscard]] int floor_log2(int value);

/// The least height of a tree over this many machines with at most `radix` children each: ceil(log_k(P(k-1)+1))-1.
[[nodiscard]] int kary_height_lower_bound(int machines, int radix);

/// The least height of the higher tree of a two-tree in which machine i has at most most_children[i] children, both
/// trees together; the root is machine 0. No entry below 2. O(P log P).
[[nodiscard]] int two_tree_height_lower_bound(std::vector<int> most_children);

}  // namespace bcastgen
