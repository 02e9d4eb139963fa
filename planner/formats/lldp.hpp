// The neighbours that hosts and switches of an Ethernet see: `lldpcli show neighbors -f json`.
#pragma once

#include <string>
#include <vector>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// The network, merged from what several hosts see. A file is named after the host that it comes from
/// (node01.json); both of lldpcli's forms, json and json0, are read. Throws InputErrors with every error found.
[[nodiscard]] Imported import_lldp(const std::vector<ImportFile>& files, const std::string& name);

}  // namespace bcastgen
