// The text of templates/, carried inside the tool.
#pragma once

#include "base/embedded_file.hpp"

namespace bcastgen {

/// All template files, sorted as in codegen/emit/CMakeLists.txt; names are paths below templates/.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_templates();

}  // namespace bcastgen
