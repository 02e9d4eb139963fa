// The network as SimGrid reads it.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The network as a SimGrid platform file (XML, SimGrid 3.32): machines are hosts, switches routers.
[[nodiscard]] std::string simgrid_platform(const Network& network);

/// A regular fat tree as a SimGrid platform file whose routes are SimGrid's: deterministic, up and down, chosen by the
/// receiver's number (D-mod-k). Its hosts are named by fat_tree_names. Throws InputErrors for any other network.
[[nodiscard]] std::string simgrid_fat_tree_platform(const Network& network);

/// machine -> its host there. SimGrid numbers hosts leaf by leaf and pod by pod.
[[nodiscard]] std::vector<std::string> fat_tree_names(const Network& network);

}  // namespace bcastgen
