// The double binary tree: two trees, each with half of the message, in which no machine but the root has children in
// both. It knows nothing of switches: the positions are those of any sequence of machines.
//
//   first tree, in order                 second tree, mirrored: where i was, P - i is       (P = 9)
//
//   0 -> 8 -> 4 -> 2 -> 1, 3             0 -> 1 -> 5 -> 7 -> 8, 6
//                  6 -> 5, 7                            3 -> 4, 2
//
// Numbered in order, a tree has all its leaves at odd numbers. The second tree must have its leaves at the even ones:
// mirrored if an even number of machines is below the root, shifted by one if an odd one is. The root sends each half
// once, every other machine one half at most twice: with all machines on one switch no port carries more than the
// message once. (P. Sanders, J. Speck, J. L. Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and
// scan", sections 2 and 3. NCCL, which reduces too, has a root of its own in the second tree.)
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "bcast/trees/tree.hpp"

namespace bcast {

namespace detail {

/// The one of first..last that two divides most often. There is only one: between two multiples of the same power of
/// two lies a multiple of the next.
inline int roundest(int first, int last) {
    int power = 1;
    while (last / (2 * power) * (2 * power) >= first) power *= 2;
    return last / power * power;
}

/// The in-order tree over the numbers 1..count below position 0, where `place(number)` is a number's position. The
/// half with more machines comes first among a position's children.
template <class Place>
Tree in_order_tree(int count, const Place& place) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(count) + 1);
    struct Below {
        int first;
        int last;
        int parent;  ///< position
    };
    std::vector<Below> to_do;
    if (count > 0) to_do.push_back({1, count, 0});
    while (!to_do.empty()) {
        const Below below = to_do.back();
        to_do.pop_back();
        const int top = roundest(below.first, below.last);
        children[static_cast<std::size_t>(below.parent)].push_back(place(top));
        // The lower half is complete, hence never the smaller one. What is pushed last is taken first.
        if (top < below.last) to_do.push_back({top + 1, below.last, place(top)});
        if (below.first < top) to_do.push_back({below.first, top - 1, place(top)});
    }
    return tree_of_children(std::move(children));
}

}  // namespace detail

/// The pair over so many machines, 1 or more. In each: at most 2 children, height at most floor(log2 P) + 1. O(P log
/// P).
inline std::array<Tree, 2> double_binary(int machines) {
    const int below = machines - 1;  // the root
    const auto itself = [](int number) { return number; };
    const auto mirrored = [below](int number) { return below + 1 - number; };
    const auto shifted = [below](int number) { return number == 1 ? below : number - 1; };
    Tree second = below % 2 == 0 ? detail::in_order_tree(below, mirrored) : detail::in_order_tree(below, shifted);
    return {detail::in_order_tree(below, itself), std::move(second)};
}

}  // namespace bcast
