// What unequal links ask of a tree.
//
// A link of relative width w (its bandwidth over that of the fastest port among the machines that take part) that
// carries load L needs a stage of L / w. Every machine receives the message once, so the stage is at least the inverse
// of the narrowest w among the ports of those that take part and the trunks between them; a tree of fan-out k has
// stage k where links are equal. With
//
//     S = max(k, 1 / narrowest w)
//
// no link needs more than S if a machine of width w has at most w S children, and if no machine sends two children over
// one trunk of w S < k.
//
// A trunk of w >= 2 carries floor(w) senders side by side at full speed. To the tree builders the switches below look
// like floor(w) switches, each with a part of what hangs there and a trunk of its own (widened_order):
//
//     s0 ==10=== s1: n0 … n29           s0 --1-- n0 n1 n2
//                                       s0 --1-- n3 n4 n5   and so on, ten times
//
// The load on the trunk is at most the sum of what its ten parts carry. The machines keep their positions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"

namespace bcast {

/// What binds a k-ary tree besides contention. Empty tables: nothing.
struct TreeLimits {
    std::vector<int> most_children{};  ///< position -> most children
    std::vector<char> narrow{};        ///< subtree -> whether no machine may send twice over the trunk it hangs on
};

/// Bandwidth of the fastest port of these machines. O(machines).
inline std::int64_t fastest_port_Bps(const Layout& layout, const std::vector<int>& machines) {
    std::int64_t fastest_Bps = 1;
    for (const int machine : machines) fastest_Bps = std::max(fastest_Bps, layout.port(machine).bandwidth_Bps);
    return fastest_Bps;
}

/// Bandwidths of these machines' ports.
inline std::vector<std::int64_t> port_bandwidths_Bps(const Layout& layout, const std::vector<int>& machines) {
    std::vector<std::int64_t> bandwidth_Bps;
    bandwidth_Bps.reserve(machines.size());
    for (const int machine : machines) bandwidth_Bps.push_back(layout.port(machine).bandwidth_Bps);
    return bandwidth_Bps;
}

/// The different bandwidths of ports, fastest first.
inline std::vector<std::int64_t> port_classes_Bps(std::vector<std::int64_t> bandwidth_Bps) {
    std::sort(bandwidth_Bps.begin(), bandwidth_Bps.end(), std::greater<>());
    bandwidth_Bps.erase(std::unique(bandwidth_Bps.begin(), bandwidth_Bps.end()), bandwidth_Bps.end());
    return bandwidth_Bps;
}

/// By subtree: bandwidth of the trunk that it hangs on; of the whole order that of the fastest port. `order` as
/// depth_first_order makes it.
inline std::vector<std::int64_t> trunk_bandwidths(const Layout& layout, const Order& order) {
    std::vector<std::int64_t> bandwidth_Bps(order.subtrees.size(), fastest_port_Bps(layout, order.machines));
    for (std::size_t s = 1; s < order.subtrees.size(); ++s) {
        const Subtree& subtree = order.subtrees[s];
        const int above = order.subtrees[static_cast<std::size_t>(subtree.parent)].sw;
        bandwidth_Bps[s] = layout.trunk(subtree.sw, above).bandwidth_Bps;
    }
    return bandwidth_Bps;
}

/// An order as the tree builders should see it, and the bandwidth of the trunk that each subtree hangs on.
struct MeasuredOrder {
    Order order;
    std::vector<std::int64_t> trunk_Bps;
};

namespace detail {

/// Splits the subtrees of an order that hang on wide trunks, beginning with the lowest. A part of a switch holds
/// machines of the switch, and parts of the switches below, that stand side by side.
class OrderWidener {
  public:
    OrderWidener(const Order& order, const std::vector<std::int64_t>& trunk_Bps, std::int64_t fastest_Bps)
        : order_(order), trunk_Bps_(trunk_Bps), fastest_Bps_(fastest_Bps), parts_(order.subtrees.size()) {}

    MeasuredOrder widen() {
        for (std::size_t s = order_.subtrees.size(); s-- > 1;) {
            const Subtree& subtree = order_.subtrees[s];
            std::vector<std::size_t> parts = split(s, elements_of(s), trunk_Bps_[s] / fastest_Bps_);
            std::vector<std::size_t>& above = parts_[static_cast<std::size_t>(subtree.parent)];
            above.insert(above.begin(), parts.begin(), parts.end());
        }
        nodes_.push_back({order_.subtrees[0], 0, parts_[0]});
        return in_preorder(nodes_.size() - 1);
    }

  private:
    struct Node {
        Subtree interval;
        std::size_t part_of;                ///< subtree of the order
        std::vector<std::size_t> children;  ///< nodes
    };
    struct Element {
        int first;
        int last;
        std::size_t node;  ///< no_node: a machine
    };
    static constexpr std::size_t no_node = static_cast<std::size_t>(-1);

    /// Own machines and the parts of the switches below, by position.
    [[nodiscard]] std::vector<Element> elements_of(std::size_t s) const {
        std::vector<Element> elements;
        std::size_t part = 0;
        for (int position = order_.subtrees[s].first; position <= order_.subtrees[s].last;) {
            if (part < parts_[s].size() && nodes_[parts_[s][part]].interval.first == position) {
                const Subtree& interval = nodes_[parts_[s][part]].interval;
                elements.push_back({interval.first, interval.last, parts_[s][part++]});
            } else {
                elements.push_back({position, position, no_node});
            }
            position = elements.back().last + 1;
        }
        return elements;
    }

    /// At most `width` nodes over the elements, each with about the same number of machines. An element alone in its
    /// part takes the part's place; a machine alone needs no node.
    std::vector<std::size_t> split(std::size_t s, const std::vector<Element>& elements, std::int64_t width) {
        std::vector<std::size_t> nodes;
        const std::int64_t machines = order_.subtrees[s].last - order_.subtrees[s].first + 1;
        std::size_t next = 0;
        for (std::int64_t part = 0; next < elements.size(); ++part) {
            const std::int64_t end =
                order_.subtrees[s].first + machines * (part + 1) / std::max<std::int64_t>(width, 1);
            const std::size_t first = next;
            while (next < elements.size() && (next == first || elements[next].last < end || part + 1 >= width)) ++next;
            if (next == first + 1 && width > 1) {
                if (elements[first].node != no_node) nodes.push_back(elements[first].node);
                continue;
            }
            Node node{{elements[first].first, elements[next - 1].last, 0, order_.subtrees[s].sw}, s, {}};
            for (std::size_t e = first; e < next; ++e) {
                if (elements[e].node != no_node) node.children.push_back(elements[e].node);
            }
            nodes.push_back(nodes_.size());
            nodes_.push_back(std::move(node));
        }
        return nodes;
    }

    [[nodiscard]] MeasuredOrder in_preorder(std::size_t root) const {
        MeasuredOrder measured;
        Order& order = measured.order;
        order.machines = order_.machines;
        order.innermost.assign(order.machines.size(), 0);
        std::vector<std::pair<std::size_t, int>> stack{{root, -1}};
        while (!stack.empty()) {
            const auto [node, parent] = stack.back();
            stack.pop_back();
            const auto subtree = static_cast<int>(order.subtrees.size());
            const Subtree& interval = nodes_[node].interval;
            order.subtrees.push_back({interval.first, interval.last, parent, interval.sw});
            measured.trunk_Bps.push_back(trunk_Bps_[nodes_[node].part_of]);
            for (int position = interval.first; position <= interval.last; ++position) {
                order.innermost[static_cast<std::size_t>(position)] = subtree;
            }
            const std::vector<std::size_t>& children = nodes_[node].children;
            for (std::size_t child = children.size(); child-- > 0;) stack.emplace_back(children[child], subtree);
        }
        return measured;
    }

    const Order& order_;
    const std::vector<std::int64_t>& trunk_Bps_;
    std::int64_t fastest_Bps_;
    std::vector<std::vector<std::size_t>> parts_;  // subtree -> nodes below it
    std::vector<Node> nodes_;
};

}  // namespace detail

/// The order with the subtrees on wide trunks split into as many parts as senders fit side by side. Machines keep their
/// positions; subtrees are parts of switches. `order` as depth_first_order makes it. O(P x depth of the
/// switch tree).
inline MeasuredOrder widened_order(const Layout& layout, const Order& order) {
    if (layout.ports.empty()) return {order, std::vector<std::int64_t>(order.subtrees.size(), 1)};
    std::vector<std::int64_t> trunk_Bps = trunk_bandwidths(layout, order);
    const std::int64_t fastest_Bps = fastest_port_Bps(layout, order.machines);
    const auto wide = [fastest_Bps](std::int64_t bandwidth_Bps) { return bandwidth_Bps >= 2 * fastest_Bps; };
    if (std::none_of(trunk_Bps.begin(), trunk_Bps.end(), wide)) return {order, std::move(trunk_Bps)};
    return detail::OrderWidener(order, trunk_Bps, fastest_Bps).widen();
}

/// Whether the order that widened_order makes of this one has other subtrees.
inline bool is_widened(const Order& order, const Order& widened) {
    const auto alike = [](const Subtree& a, const Subtree& b) {
        return a.first == b.first && a.last == b.last && a.parent == b.parent;
    };
    return !std::equal(order.subtrees.begin(), order.subtrees.end(), widened.subtrees.begin(), widened.subtrees.end(),
                       alike);
}

/// Limits under which a tree of fan-out `radix` has the least stage that its fan-out and the links permit, whatever the
/// tree. Machines behind ports slower than `fast_Bps` have no children at all (the root excepted).
inline TreeLimits tree_limits(const Layout& layout, const MeasuredOrder& measured, int radix, std::int64_t fast_Bps) {
    TreeLimits limits;
    if (layout.ports.empty()) return limits;
    const Order& order = measured.order;
    const std::int64_t fastest_Bps = fastest_port_Bps(layout, order.machines);
    const std::vector<std::int64_t>& trunk_Bps = measured.trunk_Bps;
    std::int64_t narrowest_Bps = *std::min_element(trunk_Bps.begin(), trunk_Bps.end());
    for (const int machine : order.machines) {
        narrowest_Bps = std::min(narrowest_Bps, layout.port(machine).bandwidth_Bps);
    }
    // Sends that fit over a link within stage S, from 0 to radix; S as the fraction of two bandwidths.
    const bool narrow_decides = fastest_Bps > radix * narrowest_Bps;
    const auto sends = [&](std::int64_t bandwidth_Bps) {
        return narrow_decides ? bandwidth_Bps / narrowest_Bps : radix * bandwidth_Bps / fastest_Bps;
    };
    bool limited = false;
    for (const int machine : order.machines) {
        const std::int64_t bandwidth_Bps = layout.port(machine).bandwidth_Bps;
        const bool leaf = bandwidth_Bps < fast_Bps && machine != order.machines.front();
        const std::int64_t most = leaf ? 0 : std::min<std::int64_t>(radix, sends(bandwidth_Bps));
        limits.most_children.push_back(static_cast<int>(most));
        limited = limited || most < radix;
    }
    for (const std::int64_t bandwidth_Bps : trunk_Bps) {
        limits.narrow.push_back(sends(bandwidth_Bps) < radix ? 1 : 0);
        limited = limited || limits.narrow.back() != 0;
    }
    return limited ? limits : TreeLimits{};
}

}  // namespace bcast
