// How late each hop of each broadcast is, against what is usual for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/lateness/late_segments.hpp"
#include "tuner/wiring/fair_rates.hpp"

namespace bcastgen {

/// Broadcasts of one kind over the same hops.
struct AlikeBroadcasts {
    std::string kind;
    std::vector<std::vector<LinkId>> paths;  ///< by hop: the links that it crosses
    std::vector<int> fed_by;                 ///< by hop: the one whose segments it hands on, -1: the root's own
    FairStreams streams = FairStreams({});   ///< these
    std::vector<double> rates_Bps;           ///< by hop: on the network as described
    std::vector<double> load_Bps;            ///< by LinkId: what its hops' rates come to
    bool tells = true;                       ///< false: something else than links rules how long these take
    std::vector<std::size_t> broadcasts;
};

struct HopLateness {
    std::vector<AlikeBroadcasts> alike;
    std::vector<std::size_t> alike_of;      ///< by broadcast
    std::vector<std::vector<double>> late;  ///< by broadcast and hop: the logarithm of how many times as long as usual
};

/// What is usual for a hop is what it takes in its better broadcasts; but one that is always far slower than others of
/// its kind is not taken to be as it should be, and a kind that is always far slower than others tells nothing.
[[nodiscard]] HopLateness hop_lateness(const Network& network, const Capacities& capacities,
                                       const std::vector<const BroadcastHops*>& broadcasts);

}  // namespace bcastgen
