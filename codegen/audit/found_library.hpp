// An emitted library's directory as the audit finds it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Something in the directory that is no part of an emission, and that a compiler, CMake or the module system could
/// come across.
struct Stranger {
    std::string path;     ///< below the directory
    std::string finding;  ///< what should be there, and why it matters
};

struct FoundLibrary {
    std::vector<EmittedFile> files;  ///< those of an emission that are there, without its README
    std::vector<Stranger> strangers;
};

/// Reads each file once, and no other. Left out is what nobody who builds or loads the library could come across: its
/// README and notes beside it, version control, and below build/ the shared objects that `bcastgen build` puts there.
/// `library` is the site's name, which is part of theirs. Symbolic links are not followed, except to `directory`.
/// Throws InputErrors if the directory holds no emitted library, OutsideFailure if something cannot be read.
[[nodiscard]] FoundLibrary read_found_library(const std::filesystem::path& directory, const std::string& library);

}  // namespace bcastgen
