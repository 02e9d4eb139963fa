// The words of an emitted CMakeLists.txt and modulefile.
#pragma once

#include <vector>

#include "codegen/audit/expectation.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// A part of a text that has a meaning of its own; comments and blanks are none.
struct CodeToken {
    std::string text;
    CodePlace place;
};

/// Nothing of these languages is interpreted: words are what stands between blanks, and what is compared are words with
/// those that bcastgen emits. So it is enough that blanks and comments are found rightly among emitted words, which
/// have no quotes round several lines, brackets or backslashes. A word that begins a line where that matters starts
/// with \n.

/// Of CMake: ( and ) are words, a comment runs from # to the line's end. One that starts with #[ might not, and is a
/// word.
[[nodiscard]] std::vector<CodeToken> words_of_build_file(const EmittedFile& file);

/// Of Tcl: a comment is a line that starts with #, and not the first one. Within a command's braces it must not have
/// braces, which Tcl would count. Blanks in double quotes belong to the word.
[[nodiscard]] std::vector<CodeToken> words_of_modulefile(const EmittedFile& file);

}  // namespace bcastgen
