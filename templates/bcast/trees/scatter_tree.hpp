// Which blocks of a message go where when it is scattered over all ranks and then gathered again round a ring.
//
//   positions          0    1    2    3    4    5    6    7        position 0 is the root
//   scatter            0 ------------------> 4                     binomial: half of what one holds, again and again
//                      0 -------> 2          4 -------> 6
//                      0 -> 1     2 -> 3     4 -> 5     6 -> 7
//   blocks held after  0-7  1    2-3   3    4-7   5    6-7   7     (blocks_held)
//   ring               0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 0   p passes on p, p-1, p-2 ..., numbered modulo 8
//
// The plain ring moves every block to everybody but its first holder: P(P-1) transfers. The tuned one leaves out what
// the receiver holds since the scatter (Bandwidth-saving optimization of MPI broadcast, section IV). The last blocks
// that would come to position p, p+1 and after, are exactly those that it got along with its own, so its left neighbour
// simply stops early. That holds for every scatter whose subtrees are intervals of positions: the deeper its tree, the
// more is spared. scatter_by_switches enters each machine and each switch subtree once; scatter_cost.hpp says when the
// tuned ring takes it.
//
// Over the depth-first order no two sends of one phase of the binomial scatter, none of the whole scatter by switches
// and none of the ring's, the closing one included, share a directed link (docs/scatter-ring.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// The children of the first of `count` positions in a binomial tree over them, as distances in sending order; each
/// child gets the positions from it up to the child before. (MPICH's: the power of two first.)
inline std::vector<int> binomial_distances(int count) {
    int distance = 1;
    while (2 * distance < count) distance *= 2;
    std::vector<int> distances;
    for (; distance > 0 && count > 1; distance /= 2) distances.push_back(distance);
    return distances;
}

namespace detail {

/// A scatter's tree under construction. Positions are ranks, those of a machine side by side.
class ScatterBuilder {
  public:
    /// `begins`: the first position of each machine of the order, and the number of positions.
    ScatterBuilder(const Order& order, std::vector<int> begins)
        : order_(order), begins_(std::move(begins)), children_(static_cast<std::size_t>(begins_.back())) {
        inner_.resize(order.subtrees.size());
        for (std::size_t i = 1; i < order.subtrees.size(); ++i) {
            inner_[static_cast<std::size_t>(order.subtrees[i].parent)].push_back(static_cast<int>(i));
        }
    }

    Tree build() {
        serve({0, order_.size(), 0});
        while (!waiting_.empty()) {
            const Part part = waiting_.back();
            waiting_.pop_back();
            serve(part);
        }
        return tree_of_children(std::move(children_));
    }

  private:
    /// Neighbouring machines of the order; the first holds the blocks of all of them.
    struct Part {
        int first;
        int end;
        int subtree;  ///< index in Order::subtrees; -1: machines of one switch
    };

    [[nodiscard]] int begin(int machine) const { return begins_[static_cast<std::size_t>(machine)]; }
    [[nodiscard]] int ranks(const Part& part) const { return begin(part.end) - begin(part.first); }

    void serve(const Part& part) {
        if (part.subtree < 0) {
            serve_switch(part);
        } else {
            serve_subtree(part);
        }
    }

    void serve_switch(const Part& part) {
        int end = part.end;
        for (const int distance : binomial_distances(part.end - part.first)) {
            const Part upper{part.first + distance, end, -1};
            children_[static_cast<std::size_t>(begin(part.first))].push_back(begin(upper.first));
            waiting_.push_back(upper);
            end = upper.first;
        }
        serve_ranks(begin(part.first), begin(part.first + 1));
    }

    /// The ranks of one machine.
    void serve_ranks(int first, int end) {
        for (const int distance : binomial_distances(end - first)) {
            children_[static_cast<std::size_t>(first)].push_back(first + distance);
            serve_ranks(first + distance, end);
            end = first + distance;
        }
    }

    /// To each switch's machines and each smaller subtree in one send. A subtree of more than half of the part would
    /// take too long to be passed on, so its switches are served from here.
    void serve_subtree(const Part& part) {
        std::vector<Part> parts;
        std::vector<int> opened{part.subtree};
        while (!opened.empty()) {
            const int index = opened.back();
            opened.pop_back();
            const Subtree& subtree = order_.subtrees[static_cast<std::size_t>(index)];
            const std::vector<int>& inner = inner_[static_cast<std::size_t>(index)];
            const int own_end =
                inner.empty() ? subtree.last + 1 : order_.subtrees[static_cast<std::size_t>(inner.front())].first;
            if (own_end > subtree.first) parts.push_back({subtree.first, own_end, -1});
            for (const int below : inner) {
                const Subtree& s = order_.subtrees[static_cast<std::size_t>(below)];
                const Part whole{s.first, s.last + 1, below};
                if (2 * ranks(whole) > ranks(part)) {
                    opened.push_back(below);
                } else {
                    parts.push_back(whole);
                }
            }
        }
        std::stable_sort(parts.begin(), parts.end(),
                         [this](const Part& a, const Part& b) { return ranks(a) > ranks(b); });
        for (const Part& other : parts) {
            if (other.first != part.first) {
                children_[static_cast<std::size_t>(begin(part.first))].push_back(begin(other.first));
            }
            waiting_.push_back(other);
        }
    }

    const Order& order_;
    std::vector<int> begins_;
    std::vector<std::vector<int>> inner_;  // subtree -> those right below it
    std::vector<Part> waiting_;
    std::vector<std::vector<int>> children_;
};

}  // namespace detail

/// MPICH's scatter: binomial over all positions.
inline Tree binomial_scatter(int positions) {
    std::vector<std::vector<int>> children(static_cast<std::size_t>(positions));
    for (int position = 0; position < positions; ++position) {
        const int held = position == 0 ? positions : std::min(position & -position, positions - position);
        for (const int distance : binomial_distances(held)) {
            children[static_cast<std::size_t>(position)].push_back(position + distance);
        }
    }
    return tree_of_children(std::move(children));
}

/// A scatter that enters each machine once, and each switch subtree once or from one sender, so that with the tuned
/// ring no byte enters any of them twice. `begins`: the first position of each machine of the order, and the number of
/// positions. On one switch, with one rank on each machine, it is the binomial scatter.
inline Tree scatter_by_switches(const Order& order, std::vector<int> begins) {
    return detail::ScatterBuilder(order, std::move(begins)).build();
}

/// The `begins` of one rank on each machine.
inline std::vector<int> one_rank_each(const Order& order) {
    std::vector<int> begins;
    for (int position = 0; position <= order.size(); ++position) begins.push_back(position);
    return begins;
}

/// How many blocks, its own first, each position holds once the scatter is over: those of its subtree. Every subtree of
/// the scatter's tree must be an interval of positions.
inline std::vector<int> blocks_held(const Tree& scatter) {
    std::vector<int> held(scatter.parent.size(), 1);
    // A parent's number is below its children's.
    for (std::size_t position = held.size(); position-- > 1;) {
        held[static_cast<std::size_t>(scatter.parent[position])] += held[position];
    }
    return held;
}

/// How many blocks come round the ring to a position that holds this many. `tuned`: none that it holds already.
inline int ring_blocks(int held, int positions, bool tuned) {
    return positions - (tuned ? held : 1);
}

/// The i-th block that comes to a position round the ring, i from 0.
inline int ring_block(int position, int positions, int i) {
    return (position - 1 - i + 2 * positions) % positions;
}

/// True if a position that holds `held` blocks since the scatter holds this one.
inline bool holds_block(int position, int held, int positions, int block) {
    return (block - position + positions) % positions < held;
}

/// Blocks that are sent round the ring in all. Plain: P(P-1); tuned: less by the sum of the depths of all positions in
/// the scatter's tree.
inline long long ring_transfers(const Tree& scatter, bool tuned) {
    long long transfers = 0;
    for (const int held : blocks_held(scatter)) transfers += ring_blocks(held, scatter.size(), tuned);
    return transfers;
}

/// A message of `bytes` bytes in one block for each position: the first ones of equal size, the last ones shorter or
/// empty.
class Blocks {
  public:
    Blocks(std::size_t bytes, int positions)
        : bytes_(bytes),
          block_bytes_((bytes + static_cast<std::size_t>(positions) - 1) / static_cast<std::size_t>(positions)) {}

    /// The first byte of a block; of block `positions`: the message's end.
    [[nodiscard]] std::size_t begin(int block) const {
        return std::min(bytes_, static_cast<std::size_t>(block) * block_bytes_);
    }
    [[nodiscard]] std::size_t end(int block) const { return begin(block + 1); }

  private:
    std::size_t bytes_;
    std::size_t block_bytes_;
};

}  // namespace bcast
