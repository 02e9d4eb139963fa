#include <fmt/format.h>

#include <functional>
#include <optional>

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

namespace {

/// What says that it goes on, from when compiling begins.
std::function<void()> telling(std::optional<Waiting>& waiting, const std::string& what, const MpiCompiler& compiler) {
    return [&] {
        waiting.emplace(fmt::format("compiling {} for {} with {}", what, compiler.mpi, compiler.compiler.string()),
                        Waiting::Elsewhere::one_line);
    };
}

}  // namespace

std::filesystem::path compile_and_tell(const std::filesystem::path& directory, const MpiCompiler& compiler) {
    std::optional<Waiting> waiting;
    return compile_library(directory, compiler, telling(waiting, "the library", compiler));
}

void compile_stage_and_tell(const std::filesystem::path& place, const MpiCompiler& compiler) {
    std::optional<Waiting> waiting;
    compile_stage(place, compiler, telling(waiting, "bcastgen-stage", compiler));
}

}  // namespace bcastgen
