// Compiling an emitted library with the MPIs of this host.
#pragma once

#include <filesystem>
#include <functional>
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

/// Whether LD_PRELOAD can name files below the directory: it takes spaces and colons for ends of names.
[[nodiscard]] bool can_be_preloaded(const std::filesystem::path& directory);

/// Compiles the library in `directory` for one MPI, from scratch and with nothing but its sources, and puts the shared
/// object into directory/build/<mpi>/. Returns its path. Throws OutsideFailure with the compiler's messages; a
/// shared object that was there stays as it is then. What was compiled before of the same is taken from the user's
/// cache; `begins` is called when it has to be compiled.
std::filesystem::path compile_library(const std::filesystem::path& directory, const MpiCompiler& compiler,
                                      const std::function<void()>& begins = {});

/// Compiles bcastgen-stage (examples/stage) for one MPI and puts it there. `begins`, what is thrown and what is not
/// compiled again: as compile_library().
void compile_stage(const std::filesystem::path& place, const MpiCompiler& compiler,
                   const std::function<void()>& begins = {});

/// Copies a file, making directories if need be. It takes the place of an old one as a whole, since jobs may be loading
/// that. Throws OutsideFailure if the disk refuses; the old one stays then.
void put_copy(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace bcastgen
