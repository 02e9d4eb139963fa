#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/result_format.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/library_build.hpp"
#include "codegen/emit/library_directory.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr const char* build_examples = R"(Examples:
  bcastgen build generated/fsu-4                       for every MPI of this host
  bcastgen build generated/fsu-4 --mpi mpich,openmpi
  LD_PRELOAD=generated/fsu-4/build/mpich/libbcast_fsu-4.so mpiexec.mpich -n 4 ./program)";

struct BuildArguments {
    std::string directory;
    std::vector<std::string> mpis;
    std::string format = "text";
};

int build(const BuildArguments& options) {
    demand_library(options.directory);
    if (!can_be_preloaded(fs::absolute(options.directory))) {
        say("the library cannot be preloaded from there: a space or colon ends a path in LD_PRELOAD");
    }
    auto built = nlohmann::ordered_json::array();
    for (const MpiCompiler& compiler : choose_compilers(options.mpis)) {
        const std::string library = compile_and_tell(options.directory, compiler).string();
        built.push_back(built_json(compiler.mpi, library));
        if (options.format == "text") fmt::print("{}\n", library);
    }
    if (options.format == "json") print_json({{"format", "bcastgen-build/1"}, {"libraries", built}});
    return exit_done;
}

}  // namespace

void register_build(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "build", "Compile an emitted library; prints the shared objects", build_examples);
    const auto options = std::make_shared<BuildArguments>();
    command->add_option("directory", options->directory, "Directory of the emitted library")
        ->required()
        ->type_name("DIR");
    add_mpi_option(*command, options->mpis);
    add_result_format(*command, options->format);
    command->callback([options, &invocation] { invocation.run = [options] { return build(*options); }; });
}

}  // namespace bcastgen
