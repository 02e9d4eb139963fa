#include "cli/commands/commands.hpp"
#include "codegen/build/library_build.hpp"

namespace bcastgen {

void add_mpi_option(CLI::App& command, std::vector<std::string>& mpis) {
    command.add_option("--mpi", mpis, "MPIs to build for: mpich, openmpi [all on this host]")
        ->delimiter(',')
        ->check(CLI::IsMember({"mpich", "openmpi"}))
        ->type_name("LIST");
}

}  // namespace bcastgen
