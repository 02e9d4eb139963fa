// Reads an emitted library with a C++ compiler's front end.
#pragma once

#include <string>
#include <vector>

#include "codegen/audit/fact.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// A token of C++, comments and blanks left out.
struct CodeToken {
    std::string text;
    CodePlace place;
};

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

[[nodiscard]] std::vector<CodeToken> tokens_of(const EmittedFile& file);

}  // namespace bcastgen
