// Texts made to fit: to a terminal's width, and to terminals without UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bcastgen {

/// A help text in lines of at most `columns`, as far as words allow. Lines that are not indented are paragraphs, put
/// together anew. Of an indented line in two columns, the second one is wrapped where it stands; where it begins beyond
/// the middle (an example's comment) it comes below the first, which stays as it is, to be copied.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t columns);

/// The nearest that ASCII has: "|--" for "├─", "->" for "→", "?" where it has nothing.
[[nodiscard]] std::string in_ascii(std::string_view text);

}  // namespace bcastgen
