// What the network is asked: rounds of streams, all of a round at once, one round after the other.
//
//   rates         every stream sends without pause for as long as the round takes
//   round trips   every stream's two machines send each other one short message again and again, the least time counts
#pragma once

#include <functional>
#include <vector>

namespace bcastgen {

/// From one machine of the network to another, by index.
struct Stream {
    int from = 0;
    int to = 0;

    bool operator==(const Stream&) const = default;
};

enum class Asked { rates, round_trips };

/// A machine is in at most one stream of a round of round trips.
struct Round {
    Asked asked = Asked::rates;
    std::vector<Stream> streams;
};

/// By stream: bytes per second, or seconds there and back.
using Answer = std::vector<double>;

/// Asks the real network, or in tests a model of it: an answer for each round, in their sequence. What it throws goes
/// through to the caller.
using Instrument = std::function<std::vector<Answer>(const std::vector<Round>&)>;

}  // namespace bcastgen
