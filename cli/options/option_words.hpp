// What an option's value may be, as the command line's own description says.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bcastgen {

/// What stands for an option's value in --help: FILE, TEXT, …; empty for one without a value.
[[nodiscard]] std::string value_name(const CLI::Option& option);

/// The words that the option's value must be one of; empty where it is checked otherwise.
[[nodiscard]] std::vector<std::string> listed_words(const CLI::Option& option);

}  // namespace bcastgen
