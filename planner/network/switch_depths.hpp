// How far switches are from one of them.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// By switch: trunks on the way from `root_switch`.
[[nodiscard]] std::vector<int> switch_depths(const Network& network, int root_switch);

}  // namespace bcastgen
