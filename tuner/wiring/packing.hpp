// Questions that do not disturb each other, asked in one round.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

/// Rounds of rates, several in one where none shares a cable with another, one way or the other.
struct Packing {
    struct Place {
        std::size_t round = 0;
        std::size_t first = 0;  ///< of that round's streams
    };

    std::vector<Round> rounds;
    std::vector<Place> places;  ///< by round that was packed

    /// What the answers to `rounds` hold for the round number `packed` of so many streams.
    [[nodiscard]] Answer answer(const std::vector<Answer>& answers, std::size_t packed, std::size_t streams) const;
};

/// Each of `rounds`, in their sequence, goes into the first round that has room for it. Rounds without streams take
/// none.
[[nodiscard]] Packing pack_rounds(const Network& network, const std::vector<Round>& rounds);

}  // namespace bcastgen
