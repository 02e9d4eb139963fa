// What a command line that cannot be understood was probably meant to be.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace bcastgen {

/// A word that looks like a topology file and is a misspelt command, of the tool or of the command that is used, with
/// advice. Empty unless that is what happened.
[[nodiscard]] std::string misspelt_command(const CLI::App& application);

/// What is wrong with a parsed command line, with the option or value that was probably meant.
[[nodiscard]] std::string usage_error(const CLI::App& application, const CLI::ParseError& error);

}  // namespace bcastgen
