#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/process.hpp"
#include "cli/application.hpp"
#include "cli/completion.hpp"
#include "cli/fitted.hpp"
#include "cli/terminal.hpp"
#include "cli/usage_advice.hpp"

namespace bcastgen {

namespace {

// CLI11's exit codes distinguish asking for help, which is not an error, from bad usage.
int refuse_usage(const CLI::App& application, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
        std::ostringstream help;
        application.exit(error, help, help);
        fmt::print("{}", fitted(help.str(), columns_of(STDOUT_FILENO)));
        return exit_done;
    }
    const auto used = application.get_subcommands();
    print_error(usage_error(application, error));
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
    } catch (const Interrupted& signal) {
        print_error(signal.what());
        constexpr int ended_by_signal = 128;  // as shells count
        return ended_by_signal + signal.signal();
    } catch (const std::exception& problem) {
        print_error(problem.what());
        return exit_failed;
    }
}

}  // namespace

int run_command_line(int argc, char** argv) {
    write_as_locale_can();
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
