// What sending a small message takes on a cluster: a quick measurement that latency trees are planned by.
#pragma once

#include <optional>

#include "planner/decision/decision_table.hpp"
#include "tuner/search/sampler.hpp"

namespace bcastgen {

/// The machines to measure sends among, of those that take part. None if there are less than three on the root's
/// switch: then nothing can be told, and latency trees stay with what the topology says.
[[nodiscard]] Placement send_times_machines(const Network& network, const std::vector<int>& machines, int root);

/// What a message of one byte takes.
struct SmallMessageTimes {
    Estimate ping_pong;    ///< there
    Estimate at_once;      ///< from the root to all others
    Estimate in_turn;      ///< the same, to one when the send before has ended
    Estimate gathered;     ///< from all others to the root, at once
    int machines = 0;      ///< that take part, the root among them
    double cables_us = 0;  ///< that the topology says the way to the farthest of them to be long
};

struct MeasuredSends {
    bcast::SendTimes times;
    std::optional<SendBounds> bounds;  ///< where times scatter
};

/// What each send and receive takes of that, with bounds: all bounds of the times are taken to be off together, the
/// wrong way. All results are at least a nanosecond. The times are in microseconds.
[[nodiscard]] MeasuredSends sends_of(const SmallMessageTimes& times);

/// Measures them; samples that the ledger has are not taken again. Nothing where there are too few machines, or no
/// time. Throws OutsideFailure as measure() does.
[[nodiscard]] std::optional<MeasuredSends> measure_send_times(const Measuring& measuring, Ledger& ledger,
                                                              const Placement& placement, Clock::time_point deadline);

}  // namespace bcastgen
