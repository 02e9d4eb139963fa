// The text of examples/stage/, carried inside the tool: `bcastgen install` compiles it for the site's MPIs.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

[[nodiscard]] const std::vector<EmbeddedFile>& stage_sources();

}  // namespace bcastgen
