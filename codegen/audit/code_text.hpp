// Takes C++ apart as a compiler's lexer does.
#pragma once

#include <string>
#include <vector>

#include "codegen/audit/words.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

struct CodeText {
    std::vector<CodeToken> tokens;    ///< the rest of a line from # is one: "\n#include <cstdint>"
    std::vector<CodeToken> comments;  ///< with their //, or /* and */
};

/// A file of C++17, taken apart without preprocessing. No line of it may go on in the next (check_line_ends).
[[nodiscard]] CodeText tokens_of(const EmittedFile& file);

/// Whether a word of C++ is a keyword, of the standard's or of compilers.
[[nodiscard]] bool is_keyword(const std::string& word);

}  // namespace bcastgen
