// Compares a library's files with those that should be there.
#pragma once

#include <vector>

#include "codegen/audit/expectation.hpp"
#include "codegen/audit/words.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Of a file that is only copied: reports the first line that differs in more than its end.
void compare_copies(const EmittedFile& expected, const EmittedFile& found, const ReportFact& report);

/// Reports the first token that differs; `found` are those of the file `path`.
void compare_tokens(const std::vector<CodeToken>& expected, const std::vector<CodeToken>& found,
                    const std::string& path, const ReportFact& report);

/// Only the lines that start with #, which say what else a compiler reads and what it leaves out.
[[nodiscard]] std::vector<CodeToken> directives_of(const std::vector<CodeToken>& tokens);

/// Reports the first value or declaration that is longer than any of an emitted table. A parser gets as deep as its
/// input says.
void check_lengths(const std::vector<CodeToken>& tokens, const ReportFact& report);

/// Reports the first token of what is no table: of types, functions, and values by index, as many as it says. A
/// compiler takes the time and memory that they ask for.
void check_contents(const std::vector<CodeToken>& tokens, const ReportFact& report);

}  // namespace bcastgen
