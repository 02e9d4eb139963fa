// The network as SimGrid reads it.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// What hosts are told beside the links.
struct SimgridHosts {
    /// What software costs there (property "software": seconds of a send, of a receive, and of a byte), and a link of
    /// each host to itself for the copies within it.
    bool software = false;
    /// How many messages leave a port at a time, the others waiting for their turn (property "port"); 0: all share it.
    int port_flows = 0;
};

/// The network as a SimGrid platform file (XML, SimGrid 3.32): machines are hosts, switches routers.
[[nodiscard]] std::string simgrid_platform(const Network& network, const SimgridHosts& hosts = {});

/// A regular fat tree as a SimGrid platform file whose routes are SimGrid's: deterministic, up and down, chosen by the
/// receiver's number (D-mod-k). Its hosts are named by fat_tree_names, and all are told what the first machine's is.
/// Throws InputErrors for any other network.
[[nodiscard]] std::string simgrid_fat_tree_platform(const Network& network, const SimgridHosts& hosts = {});

/// The elements of a host that say so: "<prop id=\"software\" value=\"4e-07 4e-07 0\"/>".
[[nodiscard]] std::string simgrid_properties(const Machine& machine, const SimgridHosts& hosts);

/// machine -> its host there. SimGrid numbers hosts leaf by leaf and pod by pod.
[[nodiscard]] std::vector<std::string> fat_tree_names(const Network& network);

}  // namespace bcastgen
