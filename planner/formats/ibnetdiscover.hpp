// Dumps of InfiniBand fabrics, as ibnetdiscover prints them.
#pragma once

#include <string>

#include "base/source_text.hpp"
#include "planner/formats/ibnetdiscover_reader.hpp"
#include "planner/formats/imported.hpp"

namespace bcastgen {

/// Switches and hosts by their node descriptions, links with the bandwidth that width and rate give. A host is on the
/// switch of the first of its adapters. Aggregation nodes, routers and adapters without a host name are left out.
/// Throws InputErrors with every error found; a dump that is cut short is one.
[[nodiscard]] Imported import_ibnetdiscover(const ImportFile& file, const std::string& name);

/// The same for a fabric whose records were read from `source`, the file `file`.
[[nodiscard]] Imported import_fabric(const IbFabric& fabric, SourceText& source, const std::string& file,
                                     const std::string& name);

}  // namespace bcastgen
