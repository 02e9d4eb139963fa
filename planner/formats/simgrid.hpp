// The network as SimGrid reads it.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The network as a SimGrid platform file (XML, SimGrid 3.32): machines are hosts, switches routers. With `software`,
/// hosts are told what software costs there (simgrid_properties), and each has a link to itself for the copies within
/// it.
[[nodiscard]] std::string simgrid_platform(const Network& network, bool software = false);

/// A regular fat tree as a SimGrid platform file whose routes are SimGrid's: deterministic, up and down, chosen by the
/// receiver's number (D-mod-k). Its hosts are named by fat_tree_names, and all are told what the first machine's is.
/// Throws InputErrors for any other network.
[[nodiscard]] std::string simgrid_fat_tree_platform(const Network& network, bool software = false);

/// The element of a host that says what software costs there, in seconds of a send, of a receive, and of a byte:
/// "<prop id=\"software\" value=\"4e-07 4e-07 0\"/>".
[[nodiscard]] std::string simgrid_properties(const Machine& machine);

/// machine -> its host there. SimGrid numbers hosts leaf by leaf and pod by pod.
[[nodiscard]] std::vector<std::string> fat_tree_names(const Network& network);

}  // namespace bcastgen
