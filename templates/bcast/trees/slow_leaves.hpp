// Two-trees in which machines behind slow ports send as little as possible.
//
// Whatever the trees, a slow machine receives the message once, and so sets the stage S. Meanwhile a fast machine on
// its switch can make 2 S half-message sends. So slow machines trade places with fast leaves of the same tree, and the
// children that they still have go to fast machines that are no deeper in the tree. All of them are on one switch, so
// what crosses any trunk stays the same, and no tree gets higher.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

namespace detail {

/// How many halves of the message a machine may send that takes over for slow ones: what it can send while the slowest
/// receives the message, and at most twice its own. More would delay each of them.
inline std::int64_t most_half_sends(std::int64_t bandwidth_Bps, std::int64_t slowest_Bps) {
    constexpr std::int64_t most = 4;
    return std::min(most, 2 * bandwidth_Bps / slowest_Bps);
}

class SlowLeaves {
  public:
    SlowLeaves(const Layout& layout, const Order& order, std::array<Tree, 2>& trees)
        : order_(order), trees_(trees), bandwidth_Bps_(port_bandwidths_Bps(layout, order.machines)) {
        const std::int64_t slowest_Bps = *std::min_element(bandwidth_Bps_.begin(), bandwidth_Bps_.end());
        for (std::size_t p = 0; p < bandwidth_Bps_.size(); ++p) {
            spare_sends_.push_back(most_half_sends(bandwidth_Bps_[p], slowest_Bps) - sends(0, p) - sends(1, p));
        }
    }

    /// All others first relieve the slowest machines.
    void spare() {
        const std::vector<std::int64_t> classes_Bps = port_classes_Bps(bandwidth_Bps_);
        for (std::size_t faster = classes_Bps.size() - 1; faster-- > 0;) spare_slower_than(classes_Bps[faster]);
    }

  private:
    void spare_slower_than(std::int64_t fast_Bps) {
        slow_.clear();
        for (const std::int64_t bandwidth_Bps : bandwidth_Bps_) slow_.push_back(bandwidth_Bps < fast_Bps ? 1 : 0);
        slow_[0] = 0;  // the root sends, however slow
        std::vector<std::vector<int>> on_switch(order_.subtrees.size());
        for (int position = 0; position < order_.size(); ++position) {
            on_switch[static_cast<std::size_t>(order_.innermost[static_cast<std::size_t>(position)])].push_back(
                position);
        }
        for (std::size_t tree = 0; tree < 2; ++tree) {
            for (const std::vector<int>& machines : on_switch) trade_places(tree, machines);
            depth_ = depths_of(trees_[tree]);
            for (const std::vector<int>& machines : on_switch) hand_over(tree, machines);
        }
    }

    [[nodiscard]] std::int64_t sends(std::size_t tree, std::size_t position) const {
        return static_cast<std::int64_t>(trees_[tree].children[position].size());
    }

    /// Slow machines with children in the tree, and fast ones without that can make as many more sends.
    void trade_places(std::size_t tree, const std::vector<int>& machines) {
        std::vector<int> place(trees_[tree].children.size());  // position -> the position whose place it takes
        std::iota(place.begin(), place.end(), 0);
        bool traded = false;
        std::size_t next = 0;  // fast machine to ask
        for (const int machine : machines) {
            const auto slow = static_cast<std::size_t>(machine);
            if (slow_[slow] == 0 || sends(tree, slow) == 0) continue;
            const auto fits = [&](std::size_t fast) {
                return slow_[fast] == 0 && fast > 0 && sends(tree, fast) == 0 &&
                       spare_sends_[fast] >= sends(tree, slow);
            };
            while (next < machines.size() && !fits(static_cast<std::size_t>(machines[next]))) ++next;
            if (next == machines.size()) break;
            const auto fast = static_cast<std::size_t>(machines[next++]);
            std::swap(place[slow], place[fast]);
            spare_sends_[fast] -= sends(tree, slow);
            spare_sends_[slow] += sends(tree, slow);
            traded = true;
        }
        if (!traded) return;
        // place[] is its own inverse, since machines trade places in pairs.
        std::vector<std::vector<int>> children(place.size());
        for (std::size_t at = 0; at < place.size(); ++at) {
            for (const int child : trees_[tree].children[at]) {
                children[static_cast<std::size_t>(place[at])].push_back(place[static_cast<std::size_t>(child)]);
            }
        }
        trees_[tree] = tree_of_children(std::move(children));
    }

    /// Children of slow machines go to fast ones that are no deeper. Whatever hangs below a slow machine was deeper
    /// than it before any child moved, and nothing gets deeper, so depths need not be updated.
    void hand_over(std::size_t tree, const std::vector<int>& machines) {
        for (const int machine : machines) {
            const auto slow = static_cast<std::size_t>(machine);
            if (slow_[slow] == 0) continue;
            std::vector<int>& children = trees_[tree].children[slow];
            for (std::size_t left = children.size(); left-- > 0;) {
                int to = -1;
                for (const int other : machines) {
                    const auto fast = static_cast<std::size_t>(other);
                    if (slow_[fast] != 0 || depth_[fast] > depth_[slow] || spare_sends_[fast] < 1) continue;
                    if (to < 0 || spare_sends_[fast] > spare_sends_[static_cast<std::size_t>(to)]) to = other;
                }
                if (to < 0) break;
                trees_[tree].children[static_cast<std::size_t>(to)].push_back(children[left]);
                trees_[tree].parent[static_cast<std::size_t>(children[left])] = to;
                --spare_sends_[static_cast<std::size_t>(to)];
                ++spare_sends_[slow];
                children.pop_back();
            }
        }
    }

    const Order& order_;
    std::array<Tree, 2>& trees_;
    std::vector<std::int64_t> bandwidth_Bps_;  // of ports, by position
    std::vector<char> slow_;                   // by position
    std::vector<std::int64_t> spare_sends_;    // by position: halves of the message that it may send besides its own
    std::vector<int> depth_;
};

}  // namespace detail

/// Makes leaves of machines behind slow ports, where those behind faster ones on their switch can take over while the
/// slowest receives the message; of several speeds the slowest first. O(machines), times the fast machines of a switch
/// for children handed over. `order` as depth_first_order makes it.
inline void spare_slow_machines(const Layout& layout, const Order& order, std::array<Tree, 2>& trees) {
    if (layout.ports.empty()) return;
    detail::SlowLeaves(layout, order, trees).spare();
}

}  // namespace bcast
