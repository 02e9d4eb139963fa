// Orders other than the depth-first one: where machines stand among the subtrees of their switch, and in which sequence
// the subtrees come.
//
//          s0: n0 n1 n2         depth_first_order:      n0 n1 n2 | n3 … n8 | n9
//         /  \                  interleaved:            n0 | n3 … n8 | n1 | n9 | n2
//   s1: n3 … n8  s2: n9
//
// The tree builders need every switch subtree to be one interval of positions and the root to come first
// (bcast/trees/order.hpp); the rest is free. Sends between neighbours stay contention-free, round the ring too.
#pragma once

#include <vector>

#include "bcast/trees/order.hpp"

namespace bcastgen {

/// What a walk visits at each switch, in sequence: a neighbour switch to go down to, or own_machine for the next
/// machine of the switch itself. Switches without members below them are left out.
struct Arrangement {
    static constexpr int own_machine = -1;
    int root_switch = 0;
    std::vector<std::vector<int>> machines;  ///< switch -> its members, the root first on its own switch
    std::vector<std::vector<int>> items;     ///< switch -> what the walk visits
};

/// The order of a walk over the arrangement, whose first item at the root's switch is that switch's first machine.
/// O(items).
[[nodiscard]] bcast::Order arranged_order(const Arrangement& arrangement);

/// Each switch: one of its machines, its largest subtree, a machine, the next largest, and so on; machines left over
/// come last. A block of a k-ary tree cannot begin inside a subtree that an earlier block of its parent has entered
/// (bcast/trees/kary_tree.hpp), so trees branch at machines between the subtrees. `members` are distinct
/// machines in any sequence, root among them. O(machines + switches x log switches).
[[nodiscard]] Arrangement interleaved_arrangement(const bcast::Layout& layout, const std::vector<int>& members,
                                                  int root);

}  // namespace bcastgen
