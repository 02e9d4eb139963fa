#include "cli/options/result_format.hpp"

#include <fmt/format.h>

#include "base/json_lines.hpp"
#include "base/printable.hpp"

namespace bcastgen {

void add_result_format(CLI::App& command, std::string& format) {
    command.add_option("--format", format, "text for people, json for programs")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
}

void print_json(const nlohmann::ordered_json& object) {
    fmt::print("{}", json_lines(object));
}

nlohmann::ordered_json built_json(const std::string& mpi, const std::string& path) {
    return {{"mpi", mpi}, {"library", printable(path)}};
}

}  // namespace bcastgen
