// An emitted library on disk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Whether the directory holds an emitted library.
[[nodiscard]] bool is_library(const std::filesystem::path& directory);

/// Writes `files` below `directory`, making it if need be. Files that already hold the same text are left alone, so
/// that nothing is built again for nothing; the others are all written before the first is put in place. Returns how
/// many those were. Throws InputErrors if the directory holds something else than an emitted library, and
/// OutsideFailure if the disk refuses; nothing has changed then.
int write_library(const std::filesystem::path& directory, const std::vector<EmittedFile>& files);

}  // namespace bcastgen
