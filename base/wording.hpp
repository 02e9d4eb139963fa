// Small words of the tool's messages.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

/// "1 machine", "3 machines"
[[nodiscard]] std::string counted(std::integral auto number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

/// "a", "a or b", "a, b or c"
[[nodiscard]] inline std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    }
    return text;
}

}  // namespace bcastgen
