#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/output_file.hpp"
#include "cli/terminal.hpp"
#include "planner/decision/tuning_yaml.hpp"
#include "planner/exports/intel_adjust.hpp"
#include "planner/exports/mpich_selection.hpp"
#include "planner/exports/ompi_rules.hpp"
#include "planner/formats/network_dot.hpp"
#include "planner/formats/simgrid.hpp"
#include "planner/formats/slurm/slurm.hpp"

namespace bcastgen {

namespace {

constexpr const char* export_examples = R"(Examples:
  bcastgen export slurm my-cluster.yaml > topology.conf
  bcastgen export slurm-yaml my-cluster.yaml > topology.yaml     for Slurm 25.05 and later
  bcastgen export simgrid my-cluster.yaml > platform.xml
  bcastgen export dot my-cluster.yaml | dot -Tsvg > my-cluster.svg

Where nothing may be preloaded, the MPI itself is told what was measured best of its own:
  bcastgen tune my-cluster.yaml --on slurm --mpi openmpi --algorithms ompi:all
  bcastgen export ompi-rules tuning.yaml -o rules.conf
  bcastgen tune my-cluster.yaml --on slurm --mpi mpich --algorithms mpich:all
  bcastgen export mpich-json tuning.yaml -o selection.json
  bcastgen export intel-adjust tuning.yaml
What the MPI does not have is left to its own choice, a line for each on stderr (docs/other-mpis.md).)";

struct ExportArguments {
    std::string format;
    std::string file;
    std::string output = "-";
    std::string form = "classic";
    std::string library;
    int ranks_per_machine = 1;
};

using NetworkExporter = std::string (*)(const Network&);

const std::map<std::string, NetworkExporter> network_formats{
    {"simgrid", [](const Network& network) { return simgrid_platform(network); }},
    {"slurm", export_slurm},
    {"slurm-yaml", export_slurm_yaml},
    {"dot", network_dot}};

/// libmpich of the MPICH that this host compiles with: what its compiler links.
std::string installed_mpich() {
    for (const char* compiler : {"mpicc.mpich", "mpicc"}) {
        if (find_program(compiler).empty()) continue;
        Command command;
        command.words = {compiler, "-show"};
        const CommandOutcome outcome = run_command(command);
        std::istringstream words(outcome.output);
        for (std::string word; words >> word;) {
            if (!word.starts_with("-L")) continue;
            const std::filesystem::path library = std::filesystem::path(word.substr(2)) / "libmpich.so";
            if (std::filesystem::exists(library)) return library.string();
        }
    }
    throw OutsideFailure("no MPICH is found here: name the library of the one to export for, --mpich …/libmpich.so");
}

MpichSelection selection_of(const std::string& given) {
    const std::string library = given.empty() ? installed_mpich() : given;
    std::optional<MpichSelection> selection = selection_in(read_input_file(library));
    if (selection) return *std::move(selection);
    throw InputErrors({{library, 0, 0,
                        "carries no selection of collectives, as libmpich.so (or .a) of MPICH 4.0 and later does; name "
                        "that with --mpich",
                        ""}});
}

/// How the MPI is told of the rules, for people.
std::string how_to_use(const ExportArguments& options) {
    const std::string file = is_standard_stream(options.output)
                                 ? "FILE"
                                 : std::filesystem::absolute(options.output).lexically_normal().string();
    if (options.format == "ompi-rules") {
        return fmt::format(
            "to use it: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {} …",
            file);
    }
    if (options.format == "mpich-json") {
        return fmt::format("to use it: export MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={}, where all ranks see it",
                           file);
    }
    return "to use it: export that variable in jobs of Intel MPI; nothing of it was measured with that";
}

ExportedRules exported_rules(const ExportArguments& options) {
    std::string topology;
    const DecisionTable table = read_tuning_of_any_plan(read_input_file(options.file), options.file, topology);
    const std::vector<RankRule> rules = rank_rules(table, options.ranks_per_machine);
    if (options.format == "mpich-json") return mpich_selection(rules, selection_of(options.library));
    if (options.format == "intel-adjust") return intel_adjust(rules);
    return options.form == "json" ? ompi_json_rules(rules) : ompi_classic_rules(rules, {topology, table.origin});
}

const std::vector<std::string> rules_formats{"ompi-rules", "mpich-json", "intel-adjust"};

int export_command(const ExportArguments& options) {
    if (const auto found = network_formats.find(options.format); found != network_formats.end()) {
        write_output_file(options.output, found->second(load_topology(options.file)));
        return exit_done;
    }
    const ExportedRules rules = exported_rules(options);
    write_output_file(options.output, rules.text);
    for (const std::string& remark : rules.remarks) say(remark);
    say(how_to_use(options));
    return exit_done;
}

std::vector<std::string> all_formats() {
    std::vector<std::string> names = rules_formats;
    for (const auto& [name, exporter] : network_formats) names.push_back(name);
    return names;
}

/// Options that are for one format alone.
void expect_format(const CLI::App& command, const ExportArguments& options) {
    const bool rules = std::find(rules_formats.begin(), rules_formats.end(), options.format) != rules_formats.end();
    const std::vector<std::pair<const char*, bool>> fits = {{"--format", options.format == rules_formats[0]},
                                                            {"--mpich", options.format == rules_formats[1]},
                                                            {"--ranks-per-machine", rules}};
    for (const auto& [option, is_for] : fits) {
        if (command.count(option) > 0 && !is_for) {
            throw InputErrors({{option, 0, 0, fmt::format("is not for {}", options.format), ""}});
        }
    }
}

}  // namespace

void register_export(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(application, "export",
                                    "Convert a topology file into another program's format, or a decision table into "
                                    "an MPI's own rules",
                                    export_examples);
    const auto options = std::make_shared<ExportArguments>();
    command
        ->add_option("format", options->format,
                     "Of a topology file: simgrid (platform file), slurm (topology.conf), slurm-yaml "
                     "(topology.yaml) or dot (Graphviz). Of a decision "
                     "table: ompi-rules (Open MPI's rules file), mpich-json (MPICH's selection of collectives) or "
                     "intel-adjust (Intel MPI's variable)")
        ->required()
        ->check(CLI::IsMember(all_formats()));
    command->add_option("file", options->file, "Topology file, or decision table (docs/formats.md); - for stdin")
        ->required()
        ->type_name("FILE");
    command->add_option("-o,--output", options->output, "File to write; - for stdout")
        ->type_name("FILE")
        ->capture_default_str();
    command
        ->add_option("--format", options->form,
                     "ompi-rules: classic, which Open MPI 4, 5 and 6 read, or json, which 6 reads")
        ->check(CLI::IsMember({"classic", "json"}))
        ->capture_default_str();
    command
        ->add_option("--mpich", options->library,
                     "mpich-json: libmpich.so (or .a) of the MPICH that is to read it [the one installed here]")
        ->type_name("FILE");
    command
        ->add_option("--ranks-per-machine", options->ranks_per_machine,
                     "Of decision tables: on each machine of the jobs that the rules are for")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    command->callback([command, options, &invocation] {
        invocation.run = [command, options] {
            expect_format(*command, *options);
            return export_command(*options);
        };
    });
}

}  // namespace bcastgen
