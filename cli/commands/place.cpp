#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/grid_options.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/output_file.hpp"
#include "cli/options/result_format.hpp"
#include "cli/options/table_help.hpp"
#include "planner/grid/mapping_writer.hpp"
#include "planner/grid/placement.hpp"
#include "planner/print/placement_formats.hpp"

namespace bcastgen {

namespace {

constexpr const char* place_examples = R"(Examples:
  bcastgen place topologies/fsu-5.yaml --grid 4x8 -o hosts        then mpiexec -f hosts -n 32 …       (MPICH)
  bcastgen place topologies/fsu-5.yaml --grid 4x8 --mapping-format rankfile -o ranks
                                                                  then mpirun --rankfile ranks -n 32 …  (Open MPI)
  bcastgen place topologies/fsu-5.yaml --grid 4x8 --mapping-format list -o hosts
                                       then SLURM_HOSTFILE=hosts srun -n 32 --distribution=arbitrary …
  bcastgen place topologies/campus.yaml --grid 4x6 --machines n[0-23]     a job's machines only; no file is written
  bcastgen place topologies/fsu-5.yaml --grid 8x8 --ranks-per-machine 2 --format json)";

using MappingWriter = std::string (*)(const Network&, const Mapping&);

const std::map<std::string, MappingWriter> mapping_formats{
    {"hostfile", hostfile_text}, {"list", slurm_hostfile_text}, {"rankfile", rankfile_text}};

struct PlaceArguments {
    std::string topology;
    std::string output;
    std::string which = "placed";
    std::string mapping_format = "hostfile";
    std::string format = "text";
    std::string tree = bcast::tree_name_of(bcast::usual::chain);
    std::uint64_t seed = 1;
    std::string messages = "1:1";
    GridOptions grid;
    PlanOptions plan;
};

/// "512:256": how long a row's message is, and a column's.
Weights read_weights(const std::string& text) {
    OptionErrors errors;
    const std::size_t colon = text.find(':');
    std::uint64_t lengths[] = {1, 1};
    if (colon == std::string::npos) {
        errors.add("--messages", text, text.size(), "expected two sizes, a row's and a column's, as in 512K:256K");
    } else {
        errors.parse("--messages", text, [&] { lengths[0] = parse_size_bytes(text.substr(0, colon)); });
        try {
            lengths[1] = parse_size_bytes(text.substr(colon + 1));
        } catch (const ParseError& wrong) {
            errors.add("--messages", text, colon + 1 + wrong.offset(), wrong.what());
        }
        if (lengths[0] == 0 || lengths[1] == 0) errors.add("--messages", text, 0, "a message has at least one byte");
    }
    errors.check();
    return weights_of(static_cast<double>(lengths[0]), static_cast<double>(lengths[1]));
}

int place(PlaceArguments options) {
    if (!options.output.empty()) {
        if (const std::vector<Diagnostic> wrong = unwritable("--output", options.output); !wrong.empty()) {
            throw InputErrors(wrong);
        }
    }
    const Network network = load_topology(options.topology);
    options.plan.tree = trees_by_name().at(options.tree);
    const GridPlaces places = grid_places(network, options.grid, options.plan);
    const PlacementRequest request{places.grid, places.slots, read_weights(options.messages), options.seed};
    const GridPlacement placement = compare_placements(network, request, plan_request(network, options.plan));
    const ComparedMapping& written =
        *std::find_if(placement.mappings.begin(), placement.mappings.end(),
                      [&](const ComparedMapping& mapping) { return mapping.name == options.which; });
    const std::string mapping = mapping_formats.at(options.mapping_format)(network, written.mapping);
    if (!options.output.empty()) write_output_file(options.output, mapping);
    if (is_standard_stream(options.output)) return exit_done;
    fmt::print("{}", (options.format == "json" ? placement_json : placement_text)(network, placement));
    return exit_done;
}

}  // namespace

void register_place(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "place", "Map a grid of ranks to machines so that rows and columns load trunks least",
                    fmt::format("{}\n\nTrees:\n{}", place_examples, tree_lines()));
    const auto options = std::make_shared<PlaceArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    add_grid_options(*command, options->grid);
    command->get_option("--grid")->required();
    command->add_option("--machines", options->plan.machines, "Hostlist of the job's machines, or of partitions [all]")
        ->type_name("HOSTLIST");
    command->add_option("-o,--output", options->output, "File for the mapping; - for stdout, without the comparison")
        ->type_name("FILE");
    command->add_option("--which", options->which, "Mapping to write: placed, block, cyclic or by-name")
        ->check(CLI::IsMember(compared_mappings()))
        ->capture_default_str();
    command
        ->add_option("--mapping-format", options->mapping_format,
                     "hostfile (MPICH), list (SLURM_HOSTFILE) or rankfile (Open MPI)")
        ->check(CLI::IsMember(mapping_formats))
        ->capture_default_str();
    command->add_option("--tree", options->tree, fmt::format("Whose loads are proved: {}", tree_list()))
        ->check(CLI::IsMember(trees_by_name()))
        ->capture_default_str();
    command->add_option("--messages", options->messages, "How long a row's message is and a column's, as in 512K:256K")
        ->type_name("SIZE:SIZE")
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Of the search")->capture_default_str();
    add_result_format(*command, options->format);
    command->callback([options, &invocation] { invocation.run = [options] { return place(*options); }; });
}

}  // namespace bcastgen
