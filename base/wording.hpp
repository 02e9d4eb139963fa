// Small words of the tool's messages.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace bcastgen {

/// "1 machine", "3 machines"
[[nodiscard]] std::string counted(std::integral auto number, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", number, number == 1 ? one : many);
}

}  // namespace bcastgen
