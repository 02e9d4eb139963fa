#include "cli/options/taking_part.hpp"

namespace bcastgen {

void add_taking_part(CLI::App& command, PlanOptions& options) {
    command.add_option("--root", options.root, "Machine that the broadcast starts from [the first by name]")
        ->type_name("MACHINE");
    command
        .add_option("--machines", options.machines, "Hostlist of the machines that take part, or of partitions [all]")
        ->type_name("HOSTLIST");
}

}  // namespace bcastgen
