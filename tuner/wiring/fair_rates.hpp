// The rates at which streams go that are under way at the same time: max-min fair, as TCP and switches come near to.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// What links carry, by LinkId, in bytes per second.
struct Capacities {
    std::vector<double> link_Bps;    ///< all streams together
    std::vector<double> stream_Bps;  ///< each stream by itself: one of the link's cables
};

/// As the network is described. Of a folded Clos' trunks, those of the planned tree with all cables that they stand
/// for.
[[nodiscard]] Capacities described_capacities(const Network& network);

/// Each stream's rate, by the links that it crosses: all rise together until a link is full. O(full links x links in
/// use). No path may be empty. `fed_by`: the stream whose bytes a stream hands on, and which it cannot outrun; -1:
/// none. Empty: all have theirs from the start.
[[nodiscard]] std::vector<double> fair_rates(const Capacities& capacities,
                                             const std::vector<std::vector<LinkId>>& paths,
                                             const std::vector<int>& fed_by = {});

}  // namespace bcastgen
