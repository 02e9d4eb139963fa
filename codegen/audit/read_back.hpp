// Reads an emitted library with a C++ compiler's front end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "codegen/audit/fact.hpp"
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

/// The headers that an emission has copies of (bcast/), and all that they include, as a compiler has understood them.
struct PreparedHeaders;

/// For many readings of libraries that have the same ones: takes longer than a reading without them, of which readings
/// with them need a small part. What is included from elsewhere must not change meanwhile.
[[nodiscard]] std::shared_ptr<const PreparedHeaders> prepare_headers(
    const std::vector<EmittedFile>& files, const std::vector<std::string>& include_directories);

/// What mpi_bcast.cpp among `files` tells the library about its site, as a compiler sees it: macros expanded, constants
/// evaluated. mpi.h is found in one of `include_directories`. Nothing is read from the library's directory itself.
/// `headers` are only used where each byte of bcast/ is as it was when they were prepared.
[[nodiscard]] ReadBack read_back(const std::vector<EmittedFile>& files,
                                 const std::vector<std::string>& include_directories,
                                 const PreparedHeaders* headers = nullptr);

}  // namespace bcastgen
