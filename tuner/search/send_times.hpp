// What sending a small message takes on a cluster: a quick measurement that latency trees are planned by.
#pragma once

#include "tuner/search/sampler.hpp"

namespace bcastgen {

/// The machines to measure sends among, of those that take part. None if there are less than three on the root's
/// switch: then nothing can be told, and latency trees stay with what the topology says.
[[nodiscard]] Placement send_times_machines(const Network& network, const std::vector<int>& machines, int root);

/// Of one byte's ping-pong, of the root's sends to all others at once, and of the same one after the other. Times in
/// microseconds, of so many machines. All results are at least a nanosecond.
[[nodiscard]] SendTimes send_times_of(double ping_pong_us, double at_once_us, double in_turn_us, int machines);

/// Measures them; samples that the ledger has are not taken again. Nothing where there are too few machines, or no
/// time. Throws OutsideFailure as measure() does.
[[nodiscard]] SendTimes measure_send_times(const Measuring& measuring, Ledger& ledger, const Placement& placement,
                                           Clock::time_point deadline);

}  // namespace bcastgen
