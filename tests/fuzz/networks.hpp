// What is true of every network that a reader gives.
#pragma once

#include "planner/network/network.hpp"

namespace bcastgen::fuzz {

/// Safe names, each once; machines on switches; trunks of the tree that join all of them.
void check_network(const Network& network);

}  // namespace bcastgen::fuzz
