// What a broadcast cannot take less than, whatever the software: candidates that cannot win need not be measured.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tuner/program/plan.hpp"

namespace bcastgen {

/// What bounds an algorithm's time: its tree on the machines in question.
struct TreeBound {
    double stage = 1;  ///< of the plan: bytes over the busiest link for each of the message, in units of a fast port
    int height = 1;    ///< of the highest tree
    double share = 1;  ///< of the message that each tree carries
};

/// An algorithm's tree over the first so many machines; none for algorithms without one.
using TreeBounds = std::function<std::optional<TreeBound>(const std::string& algorithm, int machines)>;

/// The fastest that a network may prove to be.
struct WireSpeed {
    double bandwidth_Bps = 0;  ///< of the fastest machine port
    double burst_bytes = 0;    ///< that a link may let pass at once: shapers and buffers do
};

/// No broadcast of the case over a tree like that is over sooner, in microseconds, as long as no link carries more than
/// wire.bandwidth_Bps in the long run and no machine sends on what it has not received:
/// - the busiest link carries stage x m bytes;
/// - the root hands out a tree's part of the message one byte after the other, and then the last segment (or the one
///   before it, a whole one) has height - 1 more machines to pass, each of which receives all of it first.
[[nodiscard]] double lower_bound_us(const TreeBound& tree, const WireSpeed& wire, const MeasureCase& one);

}  // namespace bcastgen
