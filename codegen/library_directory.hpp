// An emitted library on disk: writing it and compiling it.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "emitter.hpp"

namespace bcastgen {

/// Writes `files` below `directory`, making it if need be. Files that already hold the same text are left alone, so
/// that nothing is built again for nothing; others are replaced whole. Returns how many were written. Throws
/// OutsideFailure if the disk refuses, or if the directory holds something else than an emitted library.
int write_library(const std::filesystem::path& directory, const std::vector<EmittedFile>& files);

/// The MPI compilers of this host, in the order in which bcastgen prefers the MPIs: "mpich", "openmpi".
struct MpiCompiler {
    std::string mpi;
    std::filesystem::path compiler;
};
[[nodiscard]] std::vector<MpiCompiler> find_mpi_compilers();

/// Those of find_mpi_compilers() that `mpis` names, in its order; all of them if it is empty.
/// Throws OutsideFailure for one that this host does not have, or if it has none at all.
[[nodiscard]] std::vector<MpiCompiler> choose_compilers(const std::vector<std::string>& mpis);

/// Compiles the library in `directory` for one MPI, into directory/build/<mpi>/. Returns the shared object's path.
/// Throws OutsideFailure with the compiler's words.
std::filesystem::path compile_library(const std::filesystem::path& directory, const MpiCompiler& compiler);

}  // namespace bcastgen
