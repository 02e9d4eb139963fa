// Links measured alone: nothing is under way but streams that cross the link.
#pragma once

#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/round.hpp"
#include "tuner/wiring/verdict.hpp"

namespace bcastgen {

/// The same round several times, with its answers.
struct Alone {
    Round round;
    std::vector<Answer> answers;
};

/// Whether a link is a machine's port.
[[nodiscard]] bool is_port(const Network& network, LinkId link);

/// The streams that a link is measured with: one between the machine and a neighbour, or some across the trunk.
/// Machines that are `suspects` themselves are left out where there are others. May be empty.
[[nodiscard]] Round alone_round(const Network& network, const std::vector<int>& machines, LinkId link,
                                const std::vector<int>& suspects);

/// What the streams came to together.
[[nodiscard]] Measured measured_alone(const Alone& alone);

/// What they should have come to if all is as described.
[[nodiscard]] double expected_alone_Bps(const Network& network, const Alone& alone);

}  // namespace bcastgen
