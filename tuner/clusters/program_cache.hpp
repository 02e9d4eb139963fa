// Compiling MPI programs, as the clusters share it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

/// Compiles a program with an MPI's compiler wrapper into `directory` (made if need be), C++17, optimised, with `flags`
/// added. Returns the executable's path. What was compiled before from the same text is taken from a cache in the
/// user's cache directory (XDG_CACHE_HOME). Throws OutsideFailure with the compiler's words, and at the program's
/// deadline; the sources that were compiled by then are in the cache.
std::filesystem::path compile_program(const ProgramSources& program, const std::filesystem::path& compiler,
                                      const std::vector<std::string>& flags, const std::filesystem::path& directory);

}  // namespace bcastgen
