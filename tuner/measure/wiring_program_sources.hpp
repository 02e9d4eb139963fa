// The text of the wiring program (tuner/program/wiring/), carried inside the tool: it is compiled where it is to run.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

/// Names are paths below the project's folder, as in the program's includes.
[[nodiscard]] const std::vector<EmbeddedFile>& wiring_program_sources();

}  // namespace bcastgen
