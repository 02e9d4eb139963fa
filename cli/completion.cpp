#include "cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/option_words.hpp"
#include "cli/options/output_file.hpp"
#include "planner/decision/decision_table.hpp"
#include "tuner/bench/bench_options.hpp"
#include "tuner/clusters/kinds.hpp"

namespace bcastgen {

namespace {

/// What the words before the cursor come to.
struct Line {
    const CLI::App* command = nullptr;
    const CLI::Option* wants_value = nullptr;  ///< the option that the word at the cursor is the value of
    std::size_t positionals = 0;               ///< that are there already
    std::string topology;                      ///< empty: none is named yet
    std::string cluster;                       ///< --on; empty: none is named yet
    bool another_program = false;              ///< after --
};

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
    return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

/// The positional argument that the number-th word is for; the last one may take several.
const CLI::Option* positional(const CLI::App& command, std::size_t number) {
    const std::vector<const CLI::Option*> all = positionals_of(command);
    if (number < all.size()) return all[number];
    return !all.empty() && all.back()->get_expected_max() > 1 ? all.back() : nullptr;
}

const CLI::App* subcommand(const CLI::App& command, const std::string& name) {
    const auto all = command.get_subcommands([&](const CLI::App* one) { return one->get_name() == name; });
    return all.empty() ? nullptr : all.front();
}

void note_value(Line& line, const CLI::Option& option, const std::string& value) {
    if (option.check_name("--on")) line.cluster = value;
    if (option.get_name(true) == "topology") line.topology = value;
}

void read_word(Line& line, const std::string& word) {
    if (line.wants_value != nullptr) {
        note_value(line, *std::exchange(line.wants_value, nullptr), word);
    } else if (word == "--") {
        line.another_program = true;
    } else if (word.starts_with('-') && word.size() > 1) {
        const std::size_t equals = word.find('=');
        const CLI::Option* option = line.command->get_option_no_throw(word.substr(0, equals));
        if (option == nullptr || value_name(*option).empty()) return;
        if (equals == std::string::npos) {
            line.wants_value = option;
        } else {
            note_value(line, *option, word.substr(equals + 1));
        }
    } else if (const CLI::App* command = line.positionals == 0 ? subcommand(*line.command, word) : nullptr) {
        line.command = command;
    } else {
        if (const CLI::Option* option = positional(*line.command, line.positionals)) note_value(line, *option, word);
        ++line.positionals;
    }
}

std::optional<Network> network_of(const Line& line) {
    if (line.topology.empty() || is_standard_stream(line.topology)) return std::nullopt;
    try {
        return load_topology(line.topology);
    } catch (const std::exception&) {  // the command will say what is wrong with it
        return std::nullopt;
    }
}

/// With `partitions`, their names, too.
std::vector<std::string> machine_names(const Line& line, bool partitions) {
    std::vector<std::string> names;
    const std::optional<Network> network = network_of(line);
    if (!network) return names;
    for (const Machine& machine : network->machines) names.push_back(machine.name);
    if (!partitions) return names;
    for (const Partition& partition : network->partitions) names.push_back(partition.name);
    return names;
}

/// Of `bench`; with `tunable`, those that a decision table can name.
std::vector<std::string> algorithm_names(const Line& line, bool tunable) {
    const std::vector<std::string> clusters = cluster_names();
    const bool is_cluster = std::find(clusters.begin(), clusters.end(), line.cluster) != clusters.end();
    std::vector<std::string> names = {"all"};
    for (std::string& name :
         known_algorithms(is_cluster ? line.cluster : clusters.front(), network_of(line).value_or(Network{}))) {
        if (!tunable || table_algorithm(name)) names.push_back(std::move(name));
    }
    return names;
}

/// Adds those of `words` that go on from `word`; of a list, from its last entry, with what is in front of that.
void add_words(Completion& completion, const std::vector<std::string>& words, const std::string& word) {
    const std::size_t comma = completion.list ? word.rfind(',') : std::string::npos;
    const std::string before = comma == std::string::npos ? "" : word.substr(0, comma + 1);
    for (const std::string& one : words) {
        if (("," + before).find("," + one + ",") != std::string::npos) continue;  // named already
        if ((before + one).starts_with(word)) completion.candidates.push_back({before + one, ""});
    }
}

/// The values of an option or argument that go on from `word`, by what --help calls them.
Completion values(const Line& line, const CLI::Option& option, const std::string& word) {
    Completion completion;
    const std::string kind = value_name(option);
    completion.files = kind == "FILE";
    completion.directories = kind == "DIR";
    completion.list =
        option.get_delimiter() != '\0' || kind == "HOSTLIST" || kind == "ALGORITHMS" || kind == "BROADCASTS";
    add_words(completion, listed_words(option), word);
    if (kind == "MACHINE" || kind == "HOSTLIST") add_words(completion, machine_names(line, kind == "HOSTLIST"), word);
    if (kind == "ALGORITHMS" || kind == "BROADCASTS") {
        add_words(completion, algorithm_names(line, kind == "ALGORITHMS"), word);
    }
    return completion;
}

Completion option_names(const CLI::App& command, const std::string& word) {
    Completion completion;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue;
        for (const std::string& name : option->get_lnames()) {
            if (("--" + name).starts_with(word)) {
                completion.candidates.push_back({"--" + name, option->get_description()});
            }
        }
    }
    return completion;
}

/// An argument that is none of an option: a command, if there may be one, or what the command itself takes.
Completion argument(const Line& line, const std::string& word) {
    Completion completion;
    if (const CLI::Option* option = positional(*line.command, line.positionals)) {
        completion = values(line, *option, word);
    }
    if (line.positionals > 0) return completion;
    for (const CLI::App* command : line.command->get_subcommands({})) {
        if (command->get_name().starts_with(word)) {
            completion.candidates.push_back({command->get_name(), command->get_description()});
        }
    }
    return completion;
}

}  // namespace

Completion complete(const CLI::App& application, const std::vector<std::string>& words) {
    Line line;
    line.command = &application;
    for (std::size_t i = 0; i + 1 < words.size() && !line.another_program; ++i) read_word(line, words[i]);
    const std::string word = words.empty() ? "" : words.back();
    if (line.another_program) return {{}, true, false, false};
    if (line.wants_value != nullptr) return values(line, *line.wants_value, word);
    if (!word.starts_with('-')) return argument(line, word);
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) return option_names(*line.command, word);
    const CLI::Option* option = line.command->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) return {};
    Completion completion = values(line, *option, word.substr(equals + 1));
    for (Candidate& candidate : completion.candidates) candidate.text.insert(0, word.substr(0, equals + 1));
    return completion;
}

std::string text_of(const Completion& completion) {
    std::string text;
    for (const Candidate& candidate : completion.candidates) {
        text += printable(candidate.text) + (candidate.about.empty() ? "" : "\t" + printable(candidate.about)) + "\n";
    }
    std::string kinds;
    for (const auto& [holds, kind] : {std::pair{completion.files, " files"},
                                      {completion.directories, " directories"},
                                      {completion.list, " list"}}) {
        if (holds) kinds += kind;
    }
    return text + ":" + kinds + "\n";
}

}  // namespace bcastgen
