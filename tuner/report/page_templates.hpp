// The text of the report's page, carried inside the tool.
#pragma once

#include <string_view>
#include <vector>

namespace bcastgen {

struct PageTemplate {
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] const std::vector<PageTemplate>& page_templates();

}  // namespace bcastgen
