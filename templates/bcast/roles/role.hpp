// What one rank does in a broadcast: whom it receives from and whom it sends to. Ranks are those of the communicator
// that the broadcast travels on.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/trees/circulant.hpp"
#include "bcast/trees/sends_under_way.hpp"

namespace bcast {

/// This rank's place in one tree.
struct TreeRole {
    int parent = -1;            ///< -1: this rank is the root
    std::vector<int> children;  ///< in sending order
    std::vector<char> far{};    ///< by child on another machine, which come first: whether the way is long (is_far)
    std::vector<char> waits{};  ///< by the same child: whether it waits for the others (waiting_children); empty: none
    bool parent_is_far = false;
    bool has_slow_child = false;  ///< one on another machine, whose port is slower than this machine's
    Together together{};          ///< of the tree (tree.hpp)
};

/// This rank's place in a broadcast: one tree that carries the message, or several that carry an equal part each.
struct Role {
    std::vector<TreeRole> trees;
};

/// Whether this rank sends to several other machines, in whatever trees: then their segments share its port.
inline bool divides_port(const Role& role) {
    int only = -1;
    for (const TreeRole& tree : role.trees) {
        for (std::size_t child = 0; child < tree.far.size(); ++child) {
            const int to = tree.children[child];
            if (only >= 0 && to != only) return true;
            only = to;
        }
    }
    return false;
}

/// This rank's place in a scatter-ring broadcast. Positions count the ranks along the order, the root's being 0.
struct RingRole {
    /// A rank to which this one sends blocks position .. position + held - 1 in the scatter.
    struct Child {
        int rank;
        int position;
        int held;
    };
    int position = 0;
    int positions = 1;
    int held = 1;                 ///< blocks, this rank's own first, that it holds once the scatter is over
    int parent = -1;              ///< the rank from which they come; -1: this rank is the root
    std::vector<Child> children;  ///< in sending order
    int left = 0;                 ///< the rank before this one on the ring
    int right = 0;                ///< the rank after it
    int right_held = 1;
};

/// This rank's place in a broadcast in rounds.
struct RoundsRole {
    bool leads = false;     ///< it speaks for its machine, and is the one who takes part in the rounds
    CirculantPlace place;   ///< its machine's, along the order
    std::vector<int> to;    ///< of a leader, by round of a phase: the rank it sends to; -1: none
    std::vector<int> from;  ///< the rank it receives from; none at the root's machine
    TreeRole machine;       ///< in the tree over the machine's ranks, in which blocks go as the leader gets them
};

/// The leaders' chain in a broadcast: the machines in planned order, the root first.
struct ChainPlace {
    int position = 0;          ///< this rank's
    std::vector<int> rank_at;  ///< position -> rank

    [[nodiscard]] int last() const { return static_cast<int>(rank_at.size()) - 1; }
    [[nodiscard]] int before() const { return rank_at[static_cast<std::size_t>(position) - 1]; }
    [[nodiscard]] int behind() const { return rank_at[static_cast<std::size_t>(position) + 1]; }
};

/// This rank's part in a multicast broadcast.
struct MulticastRole {
    bool leads = false;  ///< it speaks for its machine
    ChainPlace place;    ///< of a leader
    Role machine;        ///< the tree over its machine's ranks, from the leader
};

}  // namespace bcast
