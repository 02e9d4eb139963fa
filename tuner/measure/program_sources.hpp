// The text of the measuring program (tuner/program/), carried inside the tool: it is compiled where it is to run.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

/// Names are paths below the project's folder, as in the program's includes.
[[nodiscard]] const std::vector<EmbeddedFile>& program_sources();

}  // namespace bcastgen
