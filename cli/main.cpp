#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
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
  bcastgen check --help                  everything about one command

Exit codes: 0 done, 1 something outside failed, 2 bad input or usage, 3 a check found the plan wrong.
The result goes to stdout, everything else to stderr.)";

void add_quiet(CLI::App& application) {
    application.add_flag_callback(
        "-q,--quiet", [] { set_quiet(true); }, "Write nothing but errors to stderr");
}

// A misspelt command looks like a topology file for the default command. Empty unless that is what happened.
std::string misspelt_command(const CLI::App& application) {
    const CLI::Option* topology = application.get_option("topology");
    if (topology->empty()) return "";
    const auto word = topology->as<std::string>();
    std::vector<std::string> commands;
    for (const CLI::App* command : application.get_subcommands({})) commands.push_back(command->get_name());
    const std::string advice = did_you_mean(word, commands);
    if (advice.empty() || std::filesystem::exists(word)) return "";
    return fmt::format("there is no command {} and no such file{}", in_quotes(word), advice);
}

// CLI11's exit codes distinguish asking for help, which is not an error, from bad usage.
int refuse_usage(const CLI::App& application, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return application.exit(error);
    const auto used = application.get_subcommands();
    const std::string misspelt = misspelt_command(application);
    print_error(misspelt.empty() ? error.what() : misspelt);
    fmt::print(stderr, "See bcastgen {}--help\n", used.empty() ? "" : used.front()->get_name() + " ");
    return exit_bad_input;
}

int run(const Invocation& invocation) {
    try {
        const int code = invocation.run();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
            print_error("the result could not be written to stdout");
            return exit_failed;
        }
        return code;
    } catch (const InputErrors& errors) {
        print_diagnostics(errors.what());
        return exit_bad_input;
    } catch (const std::exception& problem) {
        print_error(problem.what());
        return exit_failed;
    }
}

int bcastgen_main(int argc, char** argv) {
    CLI::App application("Compiles a cluster's wiring into the fastest MPI_Bcast that wiring allows, and proves it.",
                         "bcastgen");
    application.set_version_flag("--version", "bcastgen " BCASTGEN_VERSION);
    application.footer(examples);
    add_quiet(application);
    Invocation invocation;
    register_emit(application, invocation);
    register_import(application, invocation);
    register_export(application, invocation);
    register_discover(application, invocation);
    register_check(application, invocation);
    register_verify(application, invocation);
    register_plan(application, invocation);
    register_explain(application, invocation);
    register_audit(application, invocation);
    register_build(application, invocation);
    register_install(application, invocation);
    register_lab(application, invocation);
    register_bench(application, invocation);
    register_tune(application, invocation);
    register_report(application, invocation);
    try {
        application.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return refuse_usage(application, error);
    }
    if (const std::string misspelt = misspelt_command(application); !misspelt.empty()) {
        print_error(misspelt);
        return exit_bad_input;
    }
    return run(invocation);
}

}  // namespace

CLI::App* add_command(CLI::App& application, const std::string& name, const std::string& description,
                      const std::string& command_examples) {
    CLI::App* command = application.add_subcommand(name, description);
    command->footer(command_examples);
    add_quiet(*command);
    return command;
}

}  // namespace bcastgen

int main(int argc, char** argv) {
    umask(umask(0) | S_IWOTH);  // nothing that bcastgen writes, as root at times, is for everybody to change
    try {
        return bcastgen::bcastgen_main(argc, argv);
    } catch (...) {  // stdout or stderr refused a message
        return bcastgen::exit_failed;
    }
}
