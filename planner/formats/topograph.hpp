// Topograph's models of a cluster: switches, and the nodes below them.
#pragma once

#include <string>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// A model as JSON or as YAML. Throws InputErrors with every error found.
[[nodiscard]] Imported import_topograph(const ImportFile& file, const std::string& name);

}  // namespace bcastgen
