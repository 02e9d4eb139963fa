// Whether a network is what is described: rounds of streams, and what follows from their rates.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/round.hpp"
#include "tuner/wiring/verdict.hpp"

namespace bcastgen {

/// Asks the instrument two to about six times: first some ten rounds whatever the size, then about whatever looked
/// wrong, alone. `machines`: those that take part, at least two, by index. Throws what the instrument throws.
[[nodiscard]] WiringVerdict verify_network(const Network& described, const std::vector<int>& machines,
                                           const Instrument& ask, std::uint64_t seed);

}  // namespace bcastgen
