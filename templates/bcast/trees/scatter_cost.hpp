// Which scatter precedes the tuned ring: the binomial one, or the one by switches.
//
// The ring begins at a rank when its part of the scatter is over. So the whole takes the time of the link that is busy
// longest with the scatter, plus that of the link that is busy longest with the ring. In a binomial scatter, a machine
// or rack whose ranks do not begin at multiples of a power of two is entered more than once, and its first rank holds
// little, so the ring brings in most of the message again. Where every machine has one rank and no trunk is slower than
// a port, that costs nothing: whatever the scatter, some port carries P-1 blocks of it, and some port P-1 of the ring.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

namespace detail {

/// Blocks that cross each directed link, by positions of an order of machines.
class BlockLoads {
  public:
    BlockLoads(const Layout& layout, const Order& order) : order_(order) {
        const auto time_of = [&, fastest_Bps = fastest_port_Bps(layout, order.machines)](std::int64_t bandwidth_Bps) {
            return std::max<std::int64_t>(1, unit * fastest_Bps / bandwidth_Bps);
        };
        for (const int machine : order.machines) port_time_.push_back(time_of(layout.port(machine).bandwidth_Bps));
        for (const std::int64_t bandwidth_Bps : trunk_bandwidths(layout, order)) {
            trunk_time_.push_back(time_of(bandwidth_Bps));
        }
        clear();
    }

    void clear() {
        for (std::vector<std::int64_t>& ports : ports_) ports.assign(order_.machines.size(), 0);
        for (std::vector<std::int64_t>& trunks : trunks_) trunks.assign(order_.subtrees.size(), 0);
    }

    /// Adds this many blocks from one machine to another. O(depth of the switch tree).
    void add(int from, int to, int blocks) {
        if (from == to) return;
        ports_[out][static_cast<std::size_t>(from)] += blocks;
        ports_[in][static_cast<std::size_t>(to)] += blocks;
        add_trunks(trunks_[out], from, to, blocks);
        add_trunks(trunks_[in], to, from, blocks);
    }

    /// How long the busiest link is busy. A block takes `unit` through the fastest port.
    [[nodiscard]] std::int64_t longest() const {
        std::int64_t longest = 0;
        for (const int way : {in, out}) {
            for (std::size_t i = 0; i < port_time_.size(); ++i) {
                longest = std::max(longest, ports_[way][i] * port_time_[i]);
            }
            for (std::size_t i = 1; i < trunk_time_.size(); ++i) {  // the whole order hangs on nothing
                longest = std::max(longest, trunks_[way][i] * trunk_time_[i]);
            }
        }
        return longest;
    }

  private:
    static constexpr int in = 0;
    static constexpr int out = 1;
    static constexpr std::int64_t unit = 1 << 10;  // whole numbers, so that all ranks come to the same sum

    /// Adds them to the trunks of the subtrees that hold one end and not the other.
    void add_trunks(std::vector<std::int64_t>& trunks, int inside, int outside, int blocks) {
        for (int i = order_.innermost[static_cast<std::size_t>(inside)]; i > 0;) {
            const Subtree& subtree = order_.subtrees[static_cast<std::size_t>(i)];
            if (subtree.first <= outside && outside <= subtree.last) return;
            trunks[static_cast<std::size_t>(i)] += blocks;
            i = subtree.parent;
        }
    }

    const Order& order_;
    std::vector<std::int64_t> port_time_;   // of a block, by position
    std::vector<std::int64_t> trunk_time_;  // by subtree
    std::vector<std::int64_t> ports_[2];    // blocks
    std::vector<std::int64_t> trunks_[2];
};

}  // namespace detail

/// What a scatter and the tuned ring after it take: the time of the link that is busy longest with the scatter, plus
/// that of the one that is busy longest with the ring, in 1024ths of a block's time through the fastest port. `begins`:
/// the first position of each machine of the order, and the number of positions. O(P x depth of the switch tree).
inline std::int64_t scatter_cost(const Layout& layout, const Order& order, const std::vector<int>& begins,
                                 const Tree& scatter) {
    std::vector<int> machine_of;  // by position
    for (std::size_t machine = 0; machine + 1 < begins.size(); ++machine) {
        machine_of.resize(static_cast<std::size_t>(begins[machine + 1]), static_cast<int>(machine));
    }
    const std::vector<int> held = blocks_held(scatter);
    detail::BlockLoads loads(layout, order);
    for (std::size_t to = 1; to < held.size(); ++to) {
        loads.add(machine_of[static_cast<std::size_t>(scatter.parent[to])], machine_of[to], held[to]);
    }
    const std::int64_t scatter_time = loads.longest();
    loads.clear();
    for (std::size_t to = 1; to < held.size(); ++to) {
        loads.add(machine_of[to - 1], machine_of[to], ring_blocks(held[to], scatter.size(), true));
    }
    return scatter_time + loads.longest();
}

/// The scatter of scatter-ring-tuned: the binomial one, unless the one by switches costs less by more than a
/// thirty-second; it takes more messages, and smaller ones. `begins` as above.
inline Tree tuned_scatter(const Layout& layout, const Order& order, const std::vector<int>& begins) {
    Tree binomial = binomial_scatter(begins.back());
    Tree by_switches = scatter_by_switches(order, begins);
    const std::int64_t cost = scatter_cost(layout, order, begins, binomial);
    const std::int64_t other = scatter_cost(layout, order, begins, by_switches);
    return other < cost - cost / 32 ? by_switches : binomial;
}

/// The same with one rank on each machine.
inline Tree tuned_scatter(const Layout& layout, const Order& order) {
    return tuned_scatter(layout, order, one_rank_each(order));
}

}  // namespace bcast
