#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/printable.hpp"
#include "base/wording.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/output_file.hpp"
#include "cli/options/result_format.hpp"
#include "cli/terminal.hpp"
#include "planner/formats/ibnetdiscover.hpp"
#include "planner/formats/lldp.hpp"
#include "planner/formats/netloc.hpp"
#include "planner/formats/pasted.hpp"
#include "planner/formats/recognised.hpp"
#include "planner/formats/slurm/slurm.hpp"
#include "planner/formats/topograph.hpp"
#include "planner/print/proof_scope.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {

namespace {

constexpr const char* import_examples = R"(Examples:
  bcastgen import slurm /etc/slurm/topology.conf -o my-cluster.yaml
  scontrol show topology > now.txt && bcastgen import slurm now.txt -o my-cluster.yaml
  ibnetdiscover > fabric.txt && bcastgen import ibnetdiscover fabric.txt -o my-cluster.yaml
  bcastgen import netloc IB-fe80:0000:0000:0000-nodes.txt -o my-cluster.yaml
  bcastgen import lldp neighbours/*.json -o my-cluster.yaml     one file a host, named after it, from lldpcli)";

using Importer = Imported (*)(const std::vector<ImportFile>&, const std::string& name);

template <Imported (*importer)(const ImportFile&, const std::string&)>
Imported import_one(const std::vector<ImportFile>& files, const std::string& name) {
    return importer(files.front(), name);
}

std::string read_plain(const std::string& path) {
    return without_traces_of_terminal(read_input_file(path));
}

/// As Slurm does it: from the folder of the file that includes.
std::string included_path(const std::string& includer, const std::string& path) {
    return (std::filesystem::path(includer).parent_path() / path).lexically_normal().string();
}

/// Of what is included; it is a file, also if it is called "-".
std::string read_included(const std::string& path) {
    return read_plain(is_standard_stream(path) ? "./-" : path);
}

Imported import_slurm_files(const std::vector<ImportFile>& files, const std::string& name) {
    return import_slurm(files, name, {included_path, read_included});
}

struct Format {
    Importer importer;
    bool many_files;
};
const std::map<std::string, Format> import_formats{{"slurm", {import_slurm_files, true}},
                                                   {"ibnetdiscover", {import_one<import_ibnetdiscover>, false}},
                                                   {"netloc", {import_one<import_netloc>, false}},
                                                   {"topograph", {import_one<import_topograph>, false}},
                                                   {"lldp", {import_lldp, true}}};

struct ImportArguments {
    std::string format;
    std::vector<std::string> files;
    std::string output = "-";
    std::string result = "text";
};

std::vector<std::string> format_names() {
    std::vector<std::string> names;
    for (const auto& [name, format] : import_formats) names.push_back(name);
    return names;
}

/// What is written must be readable. If it would be refused, the imported file is at fault.
Network read_again(const std::string& text, const ImportArguments& options) {
    try {
        return read_topology(text, is_standard_stream(options.output) ? "topology.yaml" : options.output);
    } catch (const InputErrors& refused) {
        std::vector<Diagnostic> errors = refused.diagnostics();
        const std::string& file = options.files.front();
        errors.insert(errors.begin(), {file, 0, 0, "makes a topology file that would be refused; not written:", ""});
        throw InputErrors(std::move(errors), refused.more());
    }
}

/// After the file that is written, or the first that is read.
std::string name_of_network(const ImportArguments& options) {
    for (const std::string& file : {options.output, options.files.front()}) {
        if (!is_standard_stream(file)) return std::filesystem::path(file).stem().string();
    }
    return "network";
}

/// With the topology file's text, if it is not written to a file.
void print_import(const ImportArguments& options, const Imported& imported, const std::string& text) {
    const bool whole = is_standard_stream(options.output);
    auto notes = nlohmann::ordered_json::array();
    for (const std::string& note : imported.notes) notes.push_back(printable(note));
    print_json({{"format", "bcastgen-import/1"},
                {"topology", imported.network.name},
                {"machines", imported.network.machines.size()},
                {"switches", imported.network.switches.size()},
                {whole ? "text" : "file", whole ? text : printable(options.output)},
                {"notes", notes}});
}

/// Throws InputErrors if a file seems to be of another format than it was given as.
void refuse_other_format(const std::vector<ImportFile>& files, const std::string& format) {
    for (const ImportFile& file : files) {
        const std::string seems = recognised_format(file.text);
        if (seems.empty() || seems == format) continue;
        throw InputErrors(
            {{file.name, 0, 0,
              seems == "lstopo" ? lstopo_advice()
                                : fmt::format("is no {} file; it looks like one for bcastgen import {}", format, seems),
              ""}});
    }
}

Imported import_files(const Format& format, const ImportArguments& options) {
    std::vector<ImportFile> files;
    for (const std::string& path : options.files) files.push_back({path, read_plain(path)});
    try {
        return format.importer(files, name_of_network(options));
    } catch (const InputErrors&) {
        refuse_other_format(files, options.format);
        throw;
    }
}

/// One of the formats; why hwloc's is none is worth an answer of its own.
CLI::Validator known_format() {
    const CLI::Validator member = CLI::IsMember(import_formats);
    CLI::Validator known = member;
    known.operation([member](const std::string& format) {
        return format == "lstopo" || format == "hwloc" ? format + " " + lstopo_advice() : member(format);
    });
    return known;
}

int import(const ImportArguments& options) {
    const Format& format = import_formats.at(options.format);
    if (!format.many_files && options.files.size() > 1) {
        throw InputErrors({{options.files[1], 0, 0, fmt::format("import {} reads one file", options.format), ""}});
    }
    const Imported imported = import_files(format, options);
    std::vector<std::string> head{fmt::format("Imported by bcastgen {} from {}.", BCASTGEN_VERSION, options.format)};
    head.insert(head.end(), imported.notes.begin(), imported.notes.end());
    const std::string text = write_topology(imported.network, head);
    const Network network = read_again(text, options);
    const bool json = options.result == "json";
    if (!json || !is_standard_stream(options.output)) write_output_file(options.output, text);
    if (json) print_import(options, imported, text);
    for (const std::string& note : imported.notes) say(note);
    say(fmt::format("{} under {}", counted(imported.network.machines.size(), "machine", "machines"),
                    counted(imported.network.switches.size(), "switch", "switches")));
    if (has_idle_trunks(network)) {
        say(fmt::format("plans will be proved{}", proof_scope(network).substr(1)));
    }
    if (const std::string advice = routes_advice(network); !advice.empty()) say(advice);
    if (!is_standard_stream(options.output)) say(fmt::format("next: bcastgen check {}", options.output));
    return exit_done;
}

}  // namespace

void register_import(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "import", "Convert another program's description of a network into a topology file",
                    import_examples);
    const auto options = std::make_shared<ImportArguments>();
    command->add_option("format", options->format, listed(format_names()))->required()->check(known_format());
    command->add_option("files", options->files, "Files to read")->required()->type_name("FILE");
    command->add_option("-o,--output", options->output, "Topology file to write; stdout if not given, or -")
        ->type_name("FILE");
    add_result_format(*command, options->result);
    command->callback([options, &invocation] { invocation.run = [options] { return import(*options); }; });
}

}  // namespace bcastgen
