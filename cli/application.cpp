#include "cli/application.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/commands/commands.hpp"
#include "cli/terminal.hpp"

namespace bcastgen {

namespace {

constexpr const char* examples = R"(Examples:
  bcastgen my-cluster.yaml               plan, prove and emit: generated/<name>/
  bcastgen build generated/my-cluster    compile it for the MPIs of this host
  bcastgen check my-cluster.yaml         what was understood of a topology file
  bcastgen verify my-cluster.yaml --on slurm       whether the network is what the file says, by measuring it
  bcastgen plan my-cluster.yaml          a broadcast tree for it, and the load that it puts on every link
  bcastgen bench my-cluster.yaml --on simulated    time its broadcasts against the MPI's own, in a simulation
  bcastgen tune my-cluster.yaml --on slurm         find the best segment sizes and algorithms by measuring
  bcastgen check --help                  everything about one command)";

void add_quiet(CLI::App& application) {
    application.add_flag_callback(
        "-q,--quiet", [] { set_quiet(true); }, "Write nothing but errors to stderr");
}

}  // namespace

std::string exit_codes() {
    return "0 done, 1 something outside failed, 2 bad input or usage, 3 a check found the plan wrong, 130 interrupted "
           "by Ctrl-C.";
}

void add_commands(CLI::App& application, Invocation& invocation) {
    application.name("bcastgen");
    application.description(
        "Compiles a cluster's wiring into the fastest MPI_Bcast that wiring allows, and proves it.");
    application.set_version_flag("--version", "bcastgen " BCASTGEN_VERSION);
    application.footer(fmt::format("{}\n\nExit codes: {}\nThe result goes to stdout, everything else to stderr.",
                                   examples, exit_codes()));
    add_quiet(application);
    register_emit(application, invocation);
    register_import(application, invocation);
    register_export(application, invocation);
    register_discover(application, invocation);
    register_check(application, invocation);
    register_doctor(application, invocation);
    register_verify(application, invocation);
    register_plan(application, invocation);
    register_place(application, invocation);
    register_explain(application, invocation);
    register_audit(application, invocation);
    register_build(application, invocation);
    register_install(application, invocation);
    register_run(application, invocation);
    register_lab(application, invocation);
    register_bench(application, invocation);
    register_tune(application, invocation);
    register_report(application, invocation);
}

CLI::App* add_command(CLI::App& application, const std::string& name, const std::string& description,
                      const std::string& command_examples) {
    CLI::App* command = application.add_subcommand(name, description);
    command->footer(command_examples);
    add_quiet(*command);
    return command;
}

}  // namespace bcastgen
