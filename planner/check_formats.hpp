// What was understood of a topology file, for people and for programs.
#pragma once

#include <string>

#include "network.hpp"

namespace bcastgen {

/// Figures, then the switches as the tree that the trunks in use make, then the idle trunks. Long lists are cut.
[[nodiscard]] std::string check_text(const Network& network);

/// Everything, as format bcastgen-check/1 (docs/formats.md).
[[nodiscard]] std::string check_json(const Network& network);

}  // namespace bcastgen
