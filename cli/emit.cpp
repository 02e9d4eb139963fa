#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "decision_table.hpp"
#include "default_table.hpp"
#include "emitter.hpp"
#include "input_file.hpp"
#include "library_directory.hpp"
#include "names.hpp"
#include "terminal.hpp"
#include "tuning_yaml.hpp"

namespace bcastgen {

namespace {

struct Options {
    std::string topology;
    std::string tuning;
    std::string directory;
};

/// A file's name as emitted text may hold it: one that could end a comment or mean something to a shell is left out.
std::string shown_name(const std::string& path, const std::string& otherwise) {
    const std::string name = std::filesystem::path(path).filename().string();
    return is_safe_name(name) ? name : otherwise;
}

/// What a banner tells the reader to run: file names without the directories of the machine it was run on.
std::string regenerating_command(const Options& options) {
    std::string command = "bcastgen " + shown_name(options.topology, "topology.yaml");
    if (!options.tuning.empty()) command += " --tuning " + shown_name(options.tuning, "tuning.yaml");
    return command;
}

int emit(const Options& options) {
    const Network network = load_topology(options.topology);
    const DecisionTable table = options.tuning.empty()
                                    ? default_table(network)
                                    : read_tuning(read_input_file(options.tuning), options.tuning, network);
    const std::filesystem::path directory = options.directory.empty()
                                                ? std::filesystem::path("generated") / network.name
                                                : std::filesystem::path(options.directory);
    const std::vector<EmittedFile> files = emit_library(network, table, regenerating_command(options));
    const int written = write_library(directory, files);
    fmt::print("{}: {} machines on {} switches, library in {}/ ({} files, {} changed)\n", network.name,
               network.machines.size(), network.switches.size(), directory.string(), files.size(), written);
    say(fmt::format("decision table: {}", table.origin));
    say(fmt::format("next: bcastgen build {}", directory.string()));
    return exit_done;
}

}  // namespace

void register_emit(CLI::App& application, Invocation& invocation) {
    const auto options = std::make_shared<Options>();
    application.add_option("topology", options->topology,
                           "Topology file (docs/formats.md): plan it, prove it and emit its library");
    application
        .add_option("-o,--output", options->directory,
                    "Directory of the emitted library; generated/<name> if not given")
        ->type_name("DIR");
    application
        .add_option("--tuning", options->tuning, "Decision table (tuning.yaml); predicted from the plan if not given")
        ->type_name("FILE");
    application.callback([&application, options, &invocation] {
        if (!application.get_subcommands().empty()) return;
        if (options->topology.empty()) throw CLI::RequiredError("A topology file or a command");
        invocation.run = [options] { return emit(*options); };
    });
}

}  // namespace bcastgen
