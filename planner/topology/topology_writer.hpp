// Writes a topology file (docs/formats.md) as a person would have written it.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The file's text: `head` as comment lines first, the commonest link speed and number of cores as defaults, hostlists
/// folded. read_topology gives the same network back, except for in_tree, which it chooses.
[[nodiscard]] std::string write_topology(const Network& network, const std::vector<std::string>& head);

}  // namespace bcastgen
