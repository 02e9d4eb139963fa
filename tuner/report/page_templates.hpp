// The text of the report's page, carried inside the tool.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

[[nodiscard]] const std::vector<EmbeddedFile>& page_templates();

}  // namespace bcastgen
