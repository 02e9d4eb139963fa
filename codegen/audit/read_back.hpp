// Reads an emitted library with a C++ compiler's front end.
#pragma once

#include <string>
#include <vector>

#include "codegen/audit/fact.hpp"
#include "codegen/audit/words.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

struct CodeError {
    CodePlace place;
    std::string message;
};

struct ReadBack {
    std::vector<CodeError> errors;  ///< why the code cannot be compiled; what follows is empty then
    Fact site;                      ///< what bcast::site() returns
};

/// What mpi_bcast.cpp among `files` tells the library about its site, as a compiler sees it: macros expanded, constants
/// evaluated. mpi.h is found in one of `include_directories`. Nothing is read from the library's directory itself.
[[nodiscard]] ReadBack read_back(const std::vector<EmittedFile>& files,
                                 const std::vector<std::string>& include_directories);

struct CodeText {
    std::vector<CodeToken> tokens;    ///< the rest of a line from # is one: "\n#include <cstdint>"
    std::vector<CodeToken> comments;  ///< with their //, or /* and */
};

/// A file of C++17, taken apart without preprocessing. No line of it may go on in the next (check_line_ends).
[[nodiscard]] CodeText tokens_of(const EmittedFile& file);

}  // namespace bcastgen
