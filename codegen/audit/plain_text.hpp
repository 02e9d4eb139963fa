// Texts that everybody reads alike: compilers, CMake, Tcl and people.
#pragma once

#include <string_view>
#include <vector>

#include "codegen/audit/expectation.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Its lines without their ends, which are \n or \r\n. They are part of `text`.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// Reports the first character that not all of them take for the same: control characters (a carriage return alone ends
/// a line for some), bytes that are no UTF-8, characters that cannot be seen, turn the direction of a line or look like
/// others. Tabs, line ends of either kind and the rest of UTF-8 are plain.
void check_characters(const EmittedFile& file, const ReportFact& report);

/// A line to be shown, with ? for each byte of what is not plain.
[[nodiscard]] std::string plain(std::string_view line);

/// Reports the first line that ends in a backslash, a trigraph for one, or blanks after it: whether the next line
/// belongs to it depends on the reader.
void check_line_ends(const EmittedFile& file, const ReportFact& report);

}  // namespace bcastgen
