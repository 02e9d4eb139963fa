// The text of templates/, carried inside the tool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

struct EmbeddedFile {
    std::string_view name;  ///< path below templates/
    std::string_view text;
};

/// All template files, sorted as in codegen/CMakeLists.txt.
[[nodiscard]] const std::vector<EmbeddedFile>& embedded_templates();

}  // namespace bcastgen
