// The text of what is preloaded into simulations (tuner/simulation/), carried inside the tool.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

[[nodiscard]] const std::vector<EmbeddedFile>& simulation_sources();

}  // namespace bcastgen
