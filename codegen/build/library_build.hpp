// Compiling an emitted library with the MPIs of this host.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bcastgen {

struct MpiCompiler {
    std::string mpi;  ///< "mpich" (or one of its family) or "openmpi"
    std::filesystem::path compiler;
};

/// The MPI compilers of this host for the MPIs that `mpis` names, in its order, each once. If `mpis` is empty, those
/// for all MPIs that this host has, MPICH first. Throws OutsideFailure if this host lacks one of them, or has none at
/// all, or no cmake.
[[nodiscard]] std::vector<MpiCompiler> choose_compilers(const std::vector<std::string>& mpis);

/// The directories of the compiler's mpi.h and what it includes. Throws OutsideFailure if the compiler does not name
/// them.
[[nodiscard]] std::vector<std::string> include_directories_of(const MpiCompiler& compiler);

/// An MPI compiler of this host, MPICH's before Open MPI's; nothing if it has none.
[[nodiscard]] std::optional<MpiCompiler> any_compiler();

/// Compiles the library in `directory` for one MPI, from scratch and with nothing but its sources, and puts the shared
/// object into directory/build/<mpi>/. Returns its path. Throws OutsideFailure with the compiler's messages.
std::filesystem::path compile_library(const std::filesystem::path& directory, const MpiCompiler& compiler);

}  // namespace bcastgen
