// Input files of the commands.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "planner/network/forwarding_tables.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// The bytes of a file; of stdin for "-". Throws InputErrors for one that cannot be read, is a directory, or is above
/// 64 MiB.
[[nodiscard]] std::string read_input_file(const std::string& path);

/// The forwarding tables in a file; null for an empty path. `network` must outlive them. Throws InputErrors.
[[nodiscard]] std::unique_ptr<ForwardingTables> load_routes(const std::string& path, const Network& network);

/// The network that a topology file describes. Throws InputErrors with everything that is wrong with it.
[[nodiscard]] Network load_topology(const std::string& path);

/// An error for a file, named by `option`, that cannot be written, so that nobody learns it only after hours of work.
[[nodiscard]] std::vector<Diagnostic> unwritable(const std::string& option, const std::string& file);

}  // namespace bcastgen
