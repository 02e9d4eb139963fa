// The text of the measuring program, carried inside the tool.
#pragma once

#include <string_view>
#include <vector>

namespace bcastgen {

struct MeasuringSource {
    std::string_view name;
    std::string_view text;
};

[[nodiscard]] const std::vector<MeasuringSource>& measuring_sources();

}  // namespace bcastgen
