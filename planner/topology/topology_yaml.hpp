// Reads a topology file (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The network that `text` describes; `file` names it in errors. Chooses the spanning tree when switches form cycles.
/// Throws InputErrors (diagnostic.hpp) with every error found.
[[nodiscard]] Network read_topology(std::string_view text, const std::string& file);

}  // namespace bcastgen
