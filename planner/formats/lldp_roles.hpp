// Which of the devices that LLDP tells of are switches.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

/// What one interface of a host sees.
struct LldpSight {
    std::string host;
    std::string interface;
    std::string neighbour;
    double bandwidth_Bps = 0;  ///< 0: unknown
    std::size_t file = 0;      ///< where it stands
    Place place;
};

struct LldpDevices {
    std::vector<LldpSight> sights;
    std::set<std::string> bridges;  ///< that said so of themselves
    std::set<std::string> routers;  ///< that said so, and may bridge too
};

struct LldpRoles {
    std::set<std::string> switches;
    std::vector<std::string> routing_switches;  ///< that said nothing of bridging
    std::vector<std::string> routing_machines;  ///< that forward packets, as a machine may
    /// Hosts that see routers, and that no one describes: either may be the switch. Indices of sights.
    std::vector<std::size_t> undecided;
};

/// Bridges are switches. A router is one if it is joined to what does not route, or to several devices: a machine may
/// forward packets too, and is known by hanging on one switch only. A device that nobody describes is a switch if it
/// sees a machine.
[[nodiscard]] LldpRoles roles_of(const LldpDevices& devices);

}  // namespace bcastgen
