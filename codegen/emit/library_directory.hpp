// An emitted library on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Whether the directory holds an emitted library, all of it.
[[nodiscard]] bool is_library(const std::filesystem::path& directory);

/// Throws InputErrors, saying what to do, if it does not.
void demand_library(const std::filesystem::path& directory);

/// Writes `files` below `directory`, making it if need be. Files that already hold the same text are left alone, so
/// that nothing is built again for nothing; the others are all written before the first is put in place. Returns how
/// many those were. Throws InputErrors if the directory holds something else than an emitted library, and
/// OutsideFailure if the disk refuses; nothing has changed then. After the program was killed at any moment, the
/// directory is no library, or the old one, and can be written again.
int write_library(const std::filesystem::path& directory, const std::vector<EmittedFile>& files);

}  // namespace bcastgen
