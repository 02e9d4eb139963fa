#include "site_input.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "default_table.hpp"
#include "input_file.hpp"
#include "tuning_yaml.hpp"

namespace bcastgen {

namespace {

/// A file's name as one writes it in a shell.
std::string shell_word(const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_' || c == '+' || c == ',' || c == '=';
    });
    if (plain) return name;
    std::string quoted = "'";
    for (const char c : name) quoted += c == '\'' ? std::string("'\"'\"'") : std::string(1, c);
    return quoted + "'";
}

}  // namespace

SiteInput load_site(const std::string& topology, const std::string& tuning) {
    SiteInput site;
    site.network = load_topology(topology);
    site.table =
        tuning.empty() ? default_table(site.network) : read_tuning(read_input_file(tuning), tuning, site.network);
    site.command = "bcastgen " + shell_word(topology) + (tuning.empty() ? "" : " --tuning " + shell_word(tuning));
    return site;
}

}  // namespace bcastgen
