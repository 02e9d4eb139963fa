#include "cli/usage_advice.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/names.hpp"

namespace bcastgen {

namespace {

/// The command that was given, `up` in `lab up`; the application if none was.
const CLI::App& used_command(const CLI::App& application) {
    const CLI::App* command = &application;
    while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
    return *command;
}

/// "there is no option --fromat; did you mean --format?" for the first such word; else empty.
std::string misspelt_option(const CLI::App& application) {
    std::vector<std::string> names;
    for (const CLI::Option* option : used_command(application).get_options()) {
        names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
    }
    for (const std::string& word : application.remaining(true)) {
        if (!word.starts_with("--")) continue;
        const std::string name = word.substr(2, word.find('=') - 2);
        if (const std::optional<std::string> meant = closest_name(name, names)) {
            return fmt::format("there is no option --{}; did you mean --{}?", name, *meant);
        }
    }
    return "";
}

/// The advice for "--format: jsn not in {text,json}", which is how CLI11 says that a value is not one of several.
std::string value_meant(const std::string& message) {
    const std::size_t end = message.find(" not in {");
    const std::size_t begin = message.rfind(": ", end);
    if (end == std::string::npos || begin == std::string::npos || message.back() != '}') return "";
    const std::size_t list = message.find('{', end) + 1;
    return did_you_mean(std::string_view(message).substr(begin + 2, end - begin - 2),
                        CLI::detail::split(message.substr(list, message.size() - list - 1), ','));
}

}  // namespace

std::string misspelt_command(const CLI::App& application) {
    const CLI::App& used = used_command(application);
    const CLI::Option* topology = used.get_option_no_throw("topology");
    if (topology == nullptr || topology->empty()) return "";
    const auto word = topology->as<std::string>();
    std::vector<std::string> commands;
    for (const CLI::App* command : used.get_subcommands({})) commands.push_back(command->get_name());
    const std::string advice = did_you_mean(word, commands);
    if (advice.empty() || std::filesystem::exists(word)) return "";
    return fmt::format("there is no command {} and no such file{}", in_quotes(word), advice);
}

std::string usage_error(const CLI::App& application, const CLI::ParseError& error) {
    for (const std::string& misspelt : {misspelt_command(application), misspelt_option(application)}) {
        if (!misspelt.empty()) return misspelt;
    }
    const std::string message = error.what();
    return message + value_meant(message);
}

}  // namespace bcastgen
