// How fast a network's ports and trunks are, once it is known which machines hang on which switch.
#pragma once

#include <cstddef>
#include <map>
#include <random>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

/// What streams brought across a trunk.
struct TrunkSums {
    std::map<std::size_t, double> towards_b_Bps;  ///< by streams at once: the best sum, one way
    double narrow_Bps = 0;                        ///< the most that went the narrower way
    bool only_ports = false;                      ///< which is all that the machines on one side can send
};

struct MeasuredSpeeds {
    std::vector<double> rates_Bps;  ///< by machine: its best stream, in or out
    std::vector<TrunkSums> trunks;  ///< by trunk
};

/// Measures every port by streams between machines of one switch, and every trunk by more and more streams across it,
/// and gives them the speeds of lines that carry so much. Throws what the instrument throws.
[[nodiscard]] MeasuredSpeeds measure_speeds(Network& network, const Instrument& ask, std::mt19937& random);

}  // namespace bcastgen
