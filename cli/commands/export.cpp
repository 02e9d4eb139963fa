#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "planner/formats/network_dot.hpp"
#include "planner/formats/simgrid.hpp"
#include "planner/formats/slurm/slurm.hpp"

namespace bcastgen {

namespace {

constexpr const char* export_examples = R"(Examples:
  bcastgen export slurm my-cluster.yaml > topology.conf
  bcastgen export slurm-yaml my-cluster.yaml > topology.yaml     for Slurm 25.05 and later
  bcastgen export simgrid my-cluster.yaml > platform.xml
  bcastgen export dot my-cluster.yaml | dot -Tsvg > my-cluster.svg)";

using Exporter = std::string (*)(const Network&);

const std::map<std::string, Exporter> export_formats{
    {"simgrid", [](const Network& network) { return simgrid_platform(network); }},
    {"slurm", export_slurm},
    {"slurm-yaml", export_slurm_yaml},
    {"dot", network_dot}};

struct ExportArguments {
    std::string format;
    std::string topology;
};

}  // namespace

void register_export(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "export", "Convert a topology file into another program's format", export_examples);
    const auto options = std::make_shared<ExportArguments>();
    command
        ->add_option("format", options->format,
                     "simgrid (platform file), slurm (topology.conf), slurm-yaml (topology.yaml) or dot (Graphviz)")
        ->required()
        ->check(CLI::IsMember(export_formats));
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            fmt::print("{}", export_formats.at(options->format)(load_topology(options->topology)));
            return exit_done;
        };
    });
}

}  // namespace bcastgen
