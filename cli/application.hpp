// The tool's command line: what --help, the man pages and completion are made of.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/commands/commands.hpp"

namespace bcastgen {

/// Adds everything that the command line can have to an empty application. Parsing fills `invocation`, which must live
/// as long.
void add_commands(CLI::App& application, Invocation& invocation);

/// What the tool's exit codes mean, in a line.
[[nodiscard]] std::string exit_codes();

}  // namespace bcastgen
