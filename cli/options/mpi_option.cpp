#include <fmt/format.h>

#include "cli/commands/commands.hpp"
#include "cli/progress.hpp"
#include "codegen/build/library_build.hpp"

namespace bcastgen {

void add_mpi_option(CLI::App& command, std::vector<std::string>& mpis) {
    command.add_option("--mpi", mpis, "MPIs to build for: mpich, openmpi [all on this host]")
        ->delimiter(',')
        ->check(CLI::IsMember({"mpich", "openmpi"}))
        ->type_name("LIST");
}

std::filesystem::path compile_and_tell(const std::filesystem::path& directory, const MpiCompiler& compiler) {
    const Waiting waiting(fmt::format("compiling for {} with {}", compiler.mpi, compiler.compiler.string()),
                          Waiting::Elsewhere::one_line);
    return compile_library(directory, compiler);
}

}  // namespace bcastgen
