// The broadcasts of a trace on the network that they crossed, for tuner/lateness/late_segments.hpp.
#pragma once

#include <vector>

#include "planner/network/network.hpp"
#include "tuner/lateness/late_segments.hpp"
#include "tuner/measure/trace.hpp"

namespace bcastgen {

/// Those of which every machine's lines were found, and every machine is in `network`.
[[nodiscard]] std::vector<BroadcastHops> traced_hops(const Trace& trace, const Network& network);

}  // namespace bcastgen
