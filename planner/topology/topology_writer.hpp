// Writes a topology file (docs/formats.md) as a person would have written it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Comments on single lines of the file, by index; each stands above its line.
struct TopologyRemarks {
    std::map<int, std::vector<std::string>> switches;
    std::map<int, std::vector<std::string>> trunks;
    std::map<int, std::vector<std::string>>
        machines;  ///< of a port that is as most are: among the others' all the same
};

/// The file's text: `head` as comment lines first, the commonest link speed and number of cores as defaults, hostlists
/// folded. read_topology gives the same network back, except for in_tree, which it chooses.
[[nodiscard]] std::string write_topology(const Network& network, const std::vector<std::string>& head,
                                         const TopologyRemarks& remarks = {});

}  // namespace bcastgen
