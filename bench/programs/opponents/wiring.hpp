// What opponents know of the wiring: the switch of each rank, and the group of switches, as MPICH reads them from a
// file of coordinates. No MPI.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/trees/order.hpp"

namespace bcastgen {

struct Wiring {
    std::vector<int> machine_of_rank;
    std::vector<int> switch_of_rank;
    std::vector<int>
        group_of_rank;  ///< what hangs together when the switch in the middle is taken away: racks of a row

    [[nodiscard]] int ranks() const { return static_cast<int>(machine_of_rank.size()); }
};

namespace detail {

/// By switch, the neighbour through which a walk from `start` reached it; `sequence` is by distance from `start`.
struct Walk {
    std::vector<int> sequence;
    std::vector<int> reached_from;  ///< -1: the start
};

inline Walk walk_from(const bcast::Layout& layout, int start) {
    Walk walk;
    walk.reached_from.assign(layout.neighbours.size(), -1);
    walk.sequence.push_back(start);
    for (std::size_t at = 0; at < walk.sequence.size(); ++at) {
        const int sw = walk.sequence[at];
        for (const int next : layout.neighbours[static_cast<std::size_t>(sw)]) {
            if (next == walk.reached_from[static_cast<std::size_t>(sw)]) continue;
            walk.reached_from[static_cast<std::size_t>(next)] = sw;
            walk.sequence.push_back(next);
        }
    }
    return walk;
}

/// The switch in the middle of the longest way between two switches of the tree.
inline int middle_switch(const bcast::Layout& layout) {
    const int end = walk_from(layout, 0).sequence.back();
    const Walk walk = walk_from(layout, end);
    std::vector<int> way{walk.sequence.back()};
    while (way.back() != end) way.push_back(walk.reached_from[static_cast<std::size_t>(way.back())]);
    return way[way.size() / 2];
}

}  // namespace detail

/// O(switches + ranks).
inline Wiring wiring_of(const bcast::Layout& layout, std::vector<int> machine_of_rank) {
    const int middle = detail::middle_switch(layout);
    const detail::Walk walk = detail::walk_from(layout, middle);
    std::vector<int> group(layout.neighbours.size(), middle);
    for (const int sw : walk.sequence) {
        const int before = walk.reached_from[static_cast<std::size_t>(sw)];
        if (before >= 0)
            group[static_cast<std::size_t>(sw)] = before == middle ? sw : group[static_cast<std::size_t>(before)];
    }
    Wiring wiring;
    wiring.machine_of_rank = std::move(machine_of_rank);
    for (const int machine : wiring.machine_of_rank) {
        wiring.switch_of_rank.push_back(layout.machine_switch[static_cast<std::size_t>(machine)]);
        wiring.group_of_rank.push_back(group[static_cast<std::size_t>(wiring.switch_of_rank.back())]);
    }
    return wiring;
}

}  // namespace bcastgen
