// A network as a picture.
#pragma once

#include <string>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Graphviz source: switches as boxes with their machines' hostlist, links with bandwidth and cables, idle links
/// dashed.
[[nodiscard]] std::string network_dot(const Network& network);

}  // namespace bcastgen
