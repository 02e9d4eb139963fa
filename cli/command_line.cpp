#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "cli/application.hpp"
#include "cli/completion.hpp"
#include "cli/terminal.hpp"

namespace bcastgen {

namespace {

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

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App application;
    Invocation invocation;
    add_commands(application, invocation);
    if (argc > 1 && std::string_view(argv[1]) == "--complete") {  // from a shell's completion
        fmt::print("{}", text_of(complete(application, {argv + 2, argv + argc})));
        return exit_done;
    }
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

}  // namespace bcastgen
