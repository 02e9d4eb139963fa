// Text from outside, made fit to be shown: nothing in it moves a terminal's cursor, changes its colours or the
// direction of writing.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace bcastgen {

/// The byte of the first thing in `text` that is not fit to be shown: a control character other than \t and \n (\r
/// before \n is fit), a character that changes the direction of writing, or a byte that is no UTF-8. Nothing if all is
/// fit.
[[nodiscard]] std::optional<std::size_t> first_unprintable(std::string_view text);

/// What stands at such a byte, as an error message: "control character U+001B; …".
[[nodiscard]] std::string describe_unprintable(std::string_view text, std::size_t at);

/// The text with everything that is not fit to be shown written out: "\x1b", "\u202e".
[[nodiscard]] std::string printable(std::string_view text);

/// A line that keeps its columns: whatever is not fit to be shown, a line's end too, becomes a question mark.
[[nodiscard]] std::string printable_columns(std::string_view line);

}  // namespace bcastgen
