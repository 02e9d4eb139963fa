// Broadcast trees over the positions of an order (order.hpp): who sends to whom.
//
//   linear   0 -> 1 -> 2 -> 3        flat      0 -> 1, 2, 3        binomial    0 ---> 4, 2, 1
//                                                                              4 -> 6, 5   2 -> 3   6 -> 7
//   binary   0 -> 1, k   with the positions 1..k-1 below 1 and k..P-1 below k, and so on down
//   3-nomial over 0..8: 0 -> 6, 3, then 2, 1;  6 -> 8, 7;  3 -> 5, 4
//
// Needs neither MPI nor anything but the standard library. The planner proves what these functions build, and the
// emitted library uses the same functions for the trees that were not baked in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/sends_under_way.hpp"

namespace bcast {

/// A tree over positions 0..P-1 with root 0. A parent's children stand in sending order.
struct Tree {
    std::vector<int> parent;                 ///< position -> parent position, -1 for the root
    std::vector<std::vector<int>> children;  ///< position -> children, in sending order
    Together together{};                     ///< where messages are sent whole

    [[nodiscard]] int size() const { return static_cast<int>(parent.size()); }
};

/// The tree with the given children lists; fills in the parents.
inline Tree tree_of_children(std::vector<std::vector<int>> children) {
    Tree tree;
    tree.parent.assign(children.size(), -1);
    for (std::size_t position = 0; position < children.size(); ++position) {
        for (int child : children[position]) tree.parent[static_cast<std::size_t>(child)] = static_cast<int>(position);
    }
    tree.children = std::move(children);
    return tree;
}

/// Edges on the way from the root, by position. O(P).
inline std::vector<int> depths_of(const Tree& tree) {
    std::vector<int> depths(tree.children.size(), 0);
    std::vector<int> walk{0};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        const auto parent = static_cast<std::size_t>(walk[i]);
        for (const int child : tree.children[parent]) {
            depths[static_cast<std::size_t>(child)] = depths[parent] + 1;
            walk.push_back(child);
        }
    }
    return depths;
}

/// Edges on the longest way from the root.
inline int height_of(const Tree& tree) {
    const std::vector<int> depths = depths_of(tree);
    return *std::max_element(depths.begin(), depths.end());
}

/// By child of a position: whether its segments wait until no other child's may go, since it passes none on and others
/// do. It does not end later than the port that sends to all of them, and who passes segments on does so sooner: of
/// what one machine works off, what has most to come after it goes first (Jackson 1955). Empty: none waits.
inline std::vector<char> waiting_children(const Tree& tree, int position) {
    std::vector<char> waits;
    for (const int child : tree.children[static_cast<std::size_t>(position)]) {
        waits.push_back(tree.children[static_cast<std::size_t>(child)].empty() ? 1 : 0);
    }
    if (std::adjacent_find(waits.begin(), waits.end(), std::not_equal_to<>()) == waits.end()) waits.clear();
    return waits;
}

/// Each position sends to the next (Algorithm 1's tree). Height P-1, fan-out 1, stage 1.
inline Tree linear_tree(int machines) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(machines));
    for (int position = 0; position + 1 < machines; ++position) {
        children[static_cast<std::size_t>(position)].push_back(position + 1);
    }
    return tree_of_children(std::move(children));
}

/// The root sends to everyone in order. Height 1, fan-out P-1.
inline Tree flat_tree(int machines) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(machines));
    for (int position = 1; position < machines; ++position) children[0].push_back(position);
    return tree_of_children(std::move(children));
}

/// Recursive division: the first position of an interval divides it into `radix` (>= 2) even parts, sends to the first
/// of each, the last part first, and goes on with its own part. So every subtree is an interval of the order. Height
/// about log_radix P, and radix - 1 children at most for each step of it.
inline Tree knomial_tree(int machines, int radix) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(machines));
    std::vector<std::pair<int, int>> intervals{{0, machines}};
    while (!intervals.empty()) {
        const auto [first, end] = intervals.back();
        intervals.pop_back();
        for (int upper = end; upper - first > 1;) {
            for (int parts = std::min(radix, upper - first); parts > 1; --parts) {
                const int part = upper - (upper - first) / parts;
                children[static_cast<std::size_t>(first)].push_back(part);
                intervals.emplace_back(part, upper);
                upper = part;
            }
        }
    }
    return tree_of_children(std::move(children));
}

/// The same with parts of radix, radix^2, radix^3 ... positions, of which the last may be shorter, the largest first:
/// what MPICH's and MVAPICH2's k-nomial trees have. Height ceil(log_radix P) at most.
inline Tree power_tree(int machines, int radix) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(machines));
    std::int64_t part = 1;
    while (part * radix < machines) part *= radix;
    for (; part >= 1; part /= radix) {
        for (std::int64_t first = 0; first < machines; first += part * radix) {
            for (std::int64_t child = first + part; child < std::min<std::int64_t>(machines, first + part * radix);
                 child += part) {
                children[static_cast<std::size_t>(first)].push_back(static_cast<int>(child));
            }
        }
    }
    return tree_of_children(std::move(children));
}

/// Recursive halving. Height floor(log2 P) or one more, fan-out ceil(log2 P).
inline Tree binomial_tree(int machines) {
    return knomial_tree(machines, 2);
}

}  // namespace bcast
