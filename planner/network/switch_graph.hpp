// The switches as a graph, joined by trunks: its pieces, cycles and depth.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The pieces of the network: switches that trunks connect with each other, in file order. A whole network is one
/// piece.
[[nodiscard]] std::vector<std::vector<int>> pieces_of(const Network& network);

/// A trunk between switches that earlier trunks of the file join already, and the switches of the cycle.
struct Cycle {
    int trunk = 0;
    std::vector<int> switches;
};

/// The cycles of the network, in the order of the trunks that close them. The switches are those of the first
/// `most_ways` only: ways can be as long as there are switches.
[[nodiscard]] std::vector<Cycle> cycles_of(const Network& network, std::size_t most_ways);

/// The tree of the switches over the trunks in use, hung from one switch.
struct SwitchTree {
    int root = 0;
    std::vector<int> parent_trunk;           ///< by switch: the trunk towards the root, -1 at the root
    std::vector<std::vector<int>> children;  ///< by switch: child switches in the order of the file's links
    int levels = 0;                          ///< switches on the longest way down from the root
};

[[nodiscard]] SwitchTree hang_from(const Network& network, int root);

/// The switch above `sw`, -1 at the root.
[[nodiscard]] int parent_of(const Network& network, const SwitchTree& tree, int sw);

/// All switches, each before its children, level by level.
[[nodiscard]] std::vector<int> switches_top_down(const SwitchTree& tree);

/// The tree as it is shown: hung from the root bridge where 802.1D chose it, else from the central switch.
[[nodiscard]] SwitchTree shown_tree(const Network& network);

/// A switch in the middle: no other one makes the tree less deep (the first in file order of at most two).
[[nodiscard]] int central_switch(const Network& network);

}  // namespace bcastgen
