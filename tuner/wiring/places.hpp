// On which switch a machine hangs, by round trips, where the latencies of trunks show in them: the times to machines
// whose place is known fit one switch best.
#pragma once

#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

/// How round trips follow from the latencies that the network is described with.
struct RoundTrips {
    double base_s = 0;       ///< of software
    double per_latency = 0;  ///< measured over described
    double step_s = 0;       ///< what the shortest trunk adds
    double scatter_s = 0;
    bool tell = false;  ///< a trunk more or less on the way shows

    [[nodiscard]] double expected_s(double way_s) const { return base_s + per_latency * 2 * way_s; }
};

/// From all round trips of the evidence, most of which are taken to be of machines in their places.
[[nodiscard]] RoundTrips fit_round_trips(const Network& network, const Evidence& evidence);

/// The machines whose round trips are not those of their places.
[[nodiscard]] std::vector<int> out_of_place(const Network& network, const Evidence& evidence, const RoundTrips& scale);

/// Round trips of each of `lost` to two machines of every switch that are not `lost`.
[[nodiscard]] std::vector<Round> place_rounds(const Network& network, const std::vector<int>& machines,
                                              const std::vector<int>& lost);

struct Whereabouts {
    int sw = -1;                   ///< where it hangs, -1: nothing tells
    std::vector<int> or_switches;  ///< that fit nearly as well; empty: it is clear
};

[[nodiscard]] Whereabouts place_by_round_trips(const Network& network, const Evidence& evidence,
                                               const RoundTrips& scale, int lost, const std::vector<int>& all_lost);

}  // namespace bcastgen
