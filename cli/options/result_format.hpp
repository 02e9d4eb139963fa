// --format of the commands that do something and then say what they did.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bcastgen {

/// --format text|json.
void add_result_format(CLI::App& command, std::string& format);

/// Writes an object to stdout, for programs (docs/formats.md).
void print_json(const nlohmann::ordered_json& object);

/// {"mpi": "mpich", "library": PATH}: a shared object as results name it.
[[nodiscard]] nlohmann::ordered_json built_json(const std::string& mpi, const std::string& path);

}  // namespace bcastgen
