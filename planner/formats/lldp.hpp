// What the hosts and switches of an Ethernet see of their neighbours: `lldpcli show neighbors -f json`.
#pragma once

#include <string>
#include <vector>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// The network that the neighbours of several hosts, merged, make. A file is named after the host it comes from
/// (node01.json); both of lldpcli's forms, json and json0, are read. Throws InputErrors with every error found.
[[nodiscard]] Imported import_lldp(const std::vector<ImportFile>& files, const std::string& name);

}  // namespace bcastgen
