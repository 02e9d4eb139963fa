// How long the way between two machines is, in latency.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/trees/order.hpp"

namespace bcast {

/// Latencies of the ways between positions of an order and between its subtrees' switches. Both must outlive it.
/// O(switches) memory; each answer takes O(depth of the switch tree).
class Distances {
  public:
    Distances(const Layout& layout, const Order& order) : layout_(&layout), order_(&order) {
        for (const Subtree& subtree : order.subtrees) {
            Site site;
            if (subtree.parent >= 0) {
                const auto above = static_cast<std::size_t>(subtree.parent);
                site.depth = sites_[above].depth + 1;
                site.from_root_ns =
                    sites_[above].from_root_ns + layout.trunk(subtree.sw, order.subtrees[above].sw).latency_ns;
            }
            sites_.push_back(site);
        }
    }

    /// Over all links from one machine to another.
    [[nodiscard]] std::int64_t between_ns(int from, int to) const {
        return port_ns(from) + port_ns(to) + trunks_ns(subtree_of(from), subtree_of(to));
    }

    /// Over the trunks from one subtree's switch to another's.
    [[nodiscard]] std::int64_t trunks_ns(std::size_t a, std::size_t b) const {
        const std::int64_t from_root_ns = sites_[a].from_root_ns + sites_[b].from_root_ns;
        while (a != b) {
            std::size_t& below = is_deeper(b, a) ? b : a;
            below = above(below);
        }
        return from_root_ns - 2 * sites_[a].from_root_ns;
    }

    [[nodiscard]] std::int64_t from_root_ns(std::size_t subtree) const { return sites_[subtree].from_root_ns; }

    /// The latency of a machine's port.
    [[nodiscard]] std::int64_t port_ns(int position) const {
        return layout_->port(order_->machines[static_cast<std::size_t>(position)]).latency_ns;
    }

    /// The subtree whose switch a machine hangs on.
    [[nodiscard]] std::size_t subtree_of(int position) const {
        return static_cast<std::size_t>(order_->innermost[static_cast<std::size_t>(position)]);
    }

    /// Whether more trunks lie between `a` and the root than between `b` and the root.
    [[nodiscard]] bool is_deeper(std::size_t a, std::size_t b) const { return sites_[a].depth > sites_[b].depth; }

    /// The subtree around one that is not the root's.
    [[nodiscard]] std::size_t above(std::size_t subtree) const {
        return static_cast<std::size_t>(order_->subtrees[subtree].parent);
    }

  private:
    struct Site {
        int depth = 0;
        std::int64_t from_root_ns = 0;
    };

    const Layout* layout_;
    const Order* order_;
    std::vector<Site> sites_;  // by subtree
};

}  // namespace bcast
