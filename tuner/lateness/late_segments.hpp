// Which cable makes the segments of production broadcasts late.
//
// Every broadcast down planned trees is a probe that costs nothing: each machine knows how long the segments after the
// first took to come, by its own clock. What a tree's hop hands on it cannot hand on faster than it comes, so a slow
// cable shows where lateness begins, and on all that lies behind:
//
//     root ──> a ──> b ──X──> c ──> d       b as usual, c and d late: the cable between b and c
//
// Where several cables lie there, other trees, other roots and the hops that are on time tell which. One cable is named
// if it explains most of what is late in broadcast after broadcast, and others are on time meanwhile.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// One tree's part of a message on its way from one machine to another.
struct SegmentHop {
    int from = 0;  ///< machine
    int to = 0;
    int tree = 0;
    double bytes = 0;    ///< that came after the first segment
    double seconds = 0;  ///< from the first segment to the last
};

/// One broadcast, with the hops of all its machines.
struct BroadcastHops {
    std::string kind;  ///< algorithm, sizes: what other broadcasts are alike in
    std::vector<SegmentHop> hops;
};

/// A cable that is slower than described.
struct SlowCable {
    int machine = -1;  ///< of a port
    int trunk = -1;
    std::vector<std::string> also;  ///< cables that these broadcasts cannot tell from it
    double described_Bps = 0;
    double carries_Bps = 0;
    int broadcasts = 0;         ///< that show it
    int first = 0;              ///< of them, counted from 0 among those that were looked at
    int last = 0;               ///< and the last
    double costs_s = 0;         ///< a broadcast, the median
    double costs_in_all_s = 0;  ///< so far
};

struct LateSegments {
    int broadcasts = 0;  ///< that were looked at
    std::optional<SlowCable> slow;
};

/// The cable that explains most of what is late, if one does. `broadcasts` in their sequence, complete. Of very many
/// the newest are looked at. O(cables where lateness begins, at most 24, x kinds of broadcasts x what fair_rates
/// takes).
[[nodiscard]] LateSegments late_segments(const Network& network, const std::vector<BroadcastHops>& broadcasts);

/// "port of n5 on s0: about 50Mbit/s, not 100Mbit/s, …", or that no cable explains it; empty if there was nothing to
/// look at.
[[nodiscard]] std::string late_segments_text(const Network& network, const LateSegments& late);

}  // namespace bcastgen
