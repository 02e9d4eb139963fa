// Machines behind slow ports, hung as leaves on a tree of the others.
//
//   positions   F  s  F  s  F  s  F  s      the tree of the F alone, and each s on an F of its switch that
//               F --> F  F                  has fewer children than it may: what an s is sent crosses no
//               |\    |\  \                 trunk, and no link but the two ports, which nobody else uses.
//               s F   s s  s
//
// Blocks of neighbouring positions (kary_tree.hpp) would leave F, s, F, s little but a chain.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// Some positions of an order as an order of their own.
struct OrderPart {
    Order order;
    TreeLimits limits;
    std::vector<int> positions;  ///< of the whole order, growing
};

namespace detail {

/// The switch of the machine at a position.
inline std::size_t switch_at(const Layout& layout, const Order& order, std::size_t position) {
    return static_cast<std::size_t>(layout.machine_switch[static_cast<std::size_t>(order.machines[position])]);
}

/// By position: whether its machine may have no children, and others on its switch may. None: empty.
inline std::vector<char> leaves_to_hang(const Layout& layout, const Order& order, const TreeLimits& limits) {
    if (limits.most_children.empty()) return {};
    std::vector<char> has_parents(layout.neighbours.size(), 0);
    for (std::size_t p = 0; p < order.machines.size(); ++p) {
        if (limits.most_children[p] > 0) has_parents[switch_at(layout, order, p)] = 1;
    }
    std::vector<char> hang(order.machines.size(), 0);
    for (std::size_t p = 1; p < hang.size(); ++p) {
        hang[p] = limits.most_children[p] == 0 && has_parents[switch_at(layout, order, p)] != 0 ? 1 : 0;
    }
    return std::find(hang.begin(), hang.end(), 1) == hang.end() ? std::vector<char>() : hang;
}

/// The positions that are not left out, position 0 among them.
inline OrderPart order_without(const Order& order, const TreeLimits& limits, const std::vector<char>& left_out) {
    OrderPart part;
    std::vector<int> before(left_out.size() + 1, 0);  // position -> those of the part before it
    for (std::size_t p = 0; p < left_out.size(); ++p) {
        before[p + 1] = before[p] + (left_out[p] == 0 ? 1 : 0);
        if (left_out[p] == 0) part.positions.push_back(static_cast<int>(p));
    }
    std::vector<int> renamed(order.subtrees.size(), -1);
    for (std::size_t s = 0; s < order.subtrees.size(); ++s) {
        const Subtree& whole = order.subtrees[s];
        const int first = before[static_cast<std::size_t>(whole.first)];
        const int last = before[static_cast<std::size_t>(whole.last) + 1] - 1;
        if (last < first) continue;
        renamed[s] = static_cast<int>(part.order.subtrees.size());
        const int parent = whole.parent < 0 ? -1 : renamed[static_cast<std::size_t>(whole.parent)];
        part.order.subtrees.push_back({first, last, parent, whole.sw});
        if (!limits.narrow.empty()) part.limits.narrow.push_back(limits.narrow[s]);
    }
    for (const int position : part.positions) {
        const auto p = static_cast<std::size_t>(position);
        part.order.machines.push_back(order.machines[p]);
        part.order.innermost.push_back(renamed[static_cast<std::size_t>(order.innermost[p])]);
        part.limits.most_children.push_back(limits.most_children[p]);
    }
    return part;
}

}  // namespace detail

/// The tree that `build(order, limits)` makes of the machines that may have children, and of those without such a
/// neighbour; the others hang on machines of their switches, the least deep ones first, and are sent to last. Empty if
/// there are none, if `build` finds no tree, or if those machines may not have so many children, `radix` each at most.
/// O(P log P) beside `build`.
template <class Build>
Tree tree_with_leaves_hung(const Layout& layout, const Order& order, int radix, const TreeLimits& limits, Build build) {
    const std::vector<char> hang = detail::leaves_to_hang(layout, order, limits);
    if (hang.empty()) return {};
    const OrderPart part = detail::order_without(order, limits, hang);
    const Tree inner = build(part.order, part.limits);
    if (inner.size() != part.order.size()) return {};

    std::vector<std::vector<int>> children(hang.size());
    std::vector<std::vector<int>> places(layout.neighbours.size());  // switch -> once for each child that may be had
    const std::vector<int> depths = depths_of(inner);
    std::vector<std::size_t> by_depth(depths.size());
    std::iota(by_depth.begin(), by_depth.end(), std::size_t{0});
    std::stable_sort(by_depth.begin(), by_depth.end(),
                     [&](std::size_t a, std::size_t b) { return depths[a] > depths[b]; });
    for (const std::size_t one : by_depth) {
        const auto position = static_cast<std::size_t>(part.positions[one]);
        std::vector<int>& own = children[position];
        for (const int child : inner.children[one]) own.push_back(part.positions[static_cast<std::size_t>(child)]);
        const int most = std::min(radix, part.limits.most_children[one]);
        const auto more = static_cast<std::size_t>(std::max(0, most - static_cast<int>(own.size())));
        std::vector<int>& here = places[detail::switch_at(layout, order, position)];
        here.insert(here.end(), more, part.positions[one]);
    }
    for (std::size_t p = 1; p < hang.size(); ++p) {
        if (hang[p] == 0) continue;
        std::vector<int>& parents = places[detail::switch_at(layout, order, p)];
        if (parents.empty()) return {};
        children[static_cast<std::size_t>(parents.back())].push_back(static_cast<int>(p));
        parents.pop_back();
    }
    return tree_of_children(std::move(children));
}

}  // namespace bcast
