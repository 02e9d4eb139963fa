// InfiniBand fabrics as hwloc's netloc keeps them: IB-<subnet>-nodes.txt, which netloc_ib_extract_dats writes.
#pragma once

#include <string>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// Switches, hosts and cables, as import_ibnetdiscover takes them. Throws InputErrors with every error found; a file
/// that is cut short is one, and so is lstopo's XML, which tells of one machine what is in it.
[[nodiscard]] Imported import_netloc(const ImportFile& file, const std::string& name);

}  // namespace bcastgen
