// From the round trips between all pairs of machines to the tree of switches that they must have crossed.
//
// A round trip is the sum of what its links add, and software's part can be counted to the machine's own cable: so the
// times are distances in a tree whose leaves are the machines. From r as the root, the way that i and j have in common
// is
//
//     r ──────────┬───── i        (d(r,i) + d(r,j) - d(i,j)) / 2
//                 └──── j
//
// long, and the tree follows from those lengths. What cannot be observed merges: a switch between two others with
// nothing on it, and a switch with a single machine and nothing behind it, which look like longer cables.
#pragma once

#include <vector>

namespace bcastgen {

/// Seconds there and back by pair of machines; symmetric.
using Distances = std::vector<std::vector<double>>;

struct FoundSwitch {
    int above = -1;      ///< index of the switch nearer to the first one, -1: it is the first
    double trunk_s = 0;  ///< what its trunk upwards adds to a round trip
    std::vector<int> machines;
};

struct FoundTree {
    std::vector<FoundSwitch> switches;  ///< each after the one above it
    std::vector<double> ports_s;        ///< by machine: what its cable and its software add to a round trip
    double gap_s = 0;                   ///< the least that a trunk adds; 0: there is but one switch
    double scatter_s = 0;               ///< the most that machines of one switch are apart by these times
    /// How far the shortest times between machines of two switches are from the tree's, the worst pair's, relative to
    /// gap_s. Infinite, and no switches: machines of one switch are as far apart as others.
    double misfit = 0;
};

/// Two machines or more. One switch where no gap between the times is clear.
[[nodiscard]] FoundTree tree_of_distances(const Distances& round_trips);

}  // namespace bcastgen
