// Reads a topology file (docs/formats.md).
#pragma once

#include <string>
#include <string_view>

#include "network.hpp"

namespace bcastgen {

/// The network that `text` describes; `file` names it in errors. Chooses the spanning tree when switches form cycles.
/// Throws InputErrors (diagnostic.hpp) with every error found.
[[nodiscard]] Network read_topology(std::string_view text, const std::string& file);

/// The same from a file. A file that cannot be read, and one above 64 MiB, is an InputErrors too.
[[nodiscard]] Network load_topology(const std::string& path);

}  // namespace bcastgen
