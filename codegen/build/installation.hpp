// Where an installed library is found: lib/<mpi>/ and modulefiles/bcast/ below a prefix.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// An emitted library's modulefile for libraries in `directory`/<mpi>/. `mpi`: "mpich" or "openmpi"; "any": that of the
/// MPI whose module is loaded. It works wherever it is linked or copied to. Throws std::logic_error for another text
/// than an emitted modulefile.
[[nodiscard]] std::string placed_modulefile(std::string_view modulefile, const std::filesystem::path& directory,
                                            std::string_view mpi);

/// The modulefiles of the site `name` for `module use PREFIX/modulefiles`, with paths below the prefix:
/// bcast/<name>-<mpi> for each of `mpis`, and bcast/<name> for the MPI whose module is loaded. `modulefile` is the
/// emitted one.
[[nodiscard]] std::vector<EmittedFile> site_modulefiles(std::string_view modulefile, const std::string& name,
                                                        const std::filesystem::path& prefix,
                                                        const std::vector<std::string>& mpis);

}  // namespace bcastgen
