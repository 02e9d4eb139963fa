#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/outside_failure.hpp"
#include "base/text_file.hpp"
#include "base/wording.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/table_help.hpp"
#include "cli/options/wiring_cluster.hpp"
#include "cli/terminal.hpp"
#include "planner/formats/wiring.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tuner/wiring/discovery/discovery.hpp"

namespace bcastgen {

namespace {

constexpr const char* discover_examples = R"(Examples:
  bcastgen discover --on slurm --machines "n[0-15]" -o my-cluster.yaml            no file needed, only names
  bcastgen discover --on mpiexec --hosts "n[0-15]" -o my-cluster.yaml
  bcastgen discover --on simulated --of topologies/fsu-5.yaml                     what would be seen of that network
  bcastgen discover --on emulated --of topologies/fsu-1.yaml --rate 4Mbit/s -o found.yaml

Round trips of all pairs show which machines share a switch and how switches hang together, streams what ports and
trunks carry. What came of it is verified; each line of the file says what it rests on. Where anything stays unclear,
that is said and no file is written. Let nothing else use the network meanwhile.

Exit codes: 0 done, 1 the measurements leave something open (measure again) or failed.)";

struct DiscoverArguments {
    std::string machines;
    std::string output;
    WiringClusterChoice cluster;
};

int discover(const DiscoverArguments& options) {
    std::vector<Diagnostic> errors = misplaced_for_wiring(options.cluster);
    Network undescribed;
    if (errors.empty()) collect(errors, [&] { undescribed = undescribed_network(options.cluster, options.machines); });
    if (!options.output.empty()) {
        const std::vector<Diagnostic> refused = unwritable("--output", options.output);
        errors.insert(errors.end(), refused.begin(), refused.end());
    }
    if (!errors.empty()) throw InputErrors(errors);
    std::vector<std::string> names;
    for (const Machine& machine : undescribed.machines) names.push_back(machine.name);
    const std::string called = options.output.empty() ? "discovered" : std::filesystem::path(options.output).stem();
    const WiringCluster cluster(options.cluster, undescribed);
    const Discovery found = discover_network(library_name(called), names, cluster.instrument(), options.cluster.seed);
    if (!found.unclear.empty()) {
        std::string text = "no topology file: the measurements leave something open";
        for (const std::string& open : found.unclear) text += "\n  " + open;
        throw OutsideFailure(text);
    }
    std::vector<std::string> head{fmt::format("Discovered by bcastgen {}: {} in {}.", BCASTGEN_VERSION,
                                              counted(names.size(), "machine", "machines"),
                                              counted(found.rounds, "round", "rounds"))};
    head.insert(head.end(), found.head.begin(), found.head.end());
    const std::string text = write_topology(found.network, head, found.remarks);
    static_cast<void>(read_topology(text, "discovered.yaml"));
    if (options.output.empty()) {
        fmt::print("{}", text);
        return exit_done;
    }
    write_file(options.output, text);
    say(fmt::format("{} under {}, measured for {:.1f} s", counted(names.size(), "machine", "machines"),
                    counted(found.network.switches.size(), "switch", "switches"), cluster.measured_s()));
    const ClusterChoice& chosen = options.cluster.cluster;
    std::string next = fmt::format("next: bcastgen tune {} --on {}", options.output, chosen.on);
    if (chosen.mpi != ClusterChoice().mpi) next += " --mpi " + chosen.mpi;
    if (!chosen.hosts.empty()) next += " --hosts " + shell_word(chosen.hosts);
    say(next);
    return exit_done;
}

}  // namespace

void register_discover(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(application, "discover", "Write a topology file from measurements alone",
                                    fmt::format("{}\n\nClusters:\n{}", discover_examples, cluster_lines()));
    const auto options = std::make_shared<DiscoverArguments>();
    add_wiring_cluster_options(*command, options->cluster);
    command->add_option("--machines", options->machines, "Hostlist of the machines [the hosts; all of --of]");
    command->add_option("-o,--output", options->output, "Topology file to write; stdout if not given")
        ->type_name("FILE");
    command->callback([options, &invocation] { invocation.run = [options] { return discover(*options); }; });
}

}  // namespace bcastgen
