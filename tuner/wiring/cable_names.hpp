// Cables by name, as people speak of them.
#pragma once

#include <string>

#include "planner/network/network.hpp"

namespace bcastgen {

/// "port of n5 on s0"
[[nodiscard]] std::string port_name(const Network& network, int machine);

/// "trunk s0 - s1"
[[nodiscard]] std::string trunk_name(const Network& network, int trunk);

/// Of the cable with links 2 * cable and 2 * cable + 1.
[[nodiscard]] std::string cable_name(const Network& network, int cable);

/// "94.1Mbit/s": so many digits.
[[nodiscard]] std::string rate_text(double rate_Bps, int digits = 3);

}  // namespace bcastgen
