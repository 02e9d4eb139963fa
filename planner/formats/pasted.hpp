// What is left of a terminal in text that was copied from it.
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// The text without colours, and with empty lines in the place of a prompt with its command before the first line and
/// of a prompt after the last: places in it stay those in the file, columns in coloured lines apart.
[[nodiscard]] std::string without_traces_of_terminal(std::string_view text);

}  // namespace bcastgen
