#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/text_file.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/table_help.hpp"
#include "cli/options/wiring_cluster.hpp"
#include "cli/terminal.hpp"
#include "tuner/measure/measure_options.hpp"
#include "tuner/wiring/verdict_formats.hpp"
#include "tuner/wiring/verification.hpp"

namespace bcastgen {

namespace {

constexpr const char* verify_examples = R"(Examples:
  bcastgen verify my-cluster.yaml --on slurm                      is the file true? 0: yes, 3: no, and what differs
  bcastgen verify my-cluster.yaml --on mpiexec --hosts "n[0-15]" --machines "n[0-15]" --fix corrected.yaml
  bcastgen verify topologies/fsu-5.yaml --on simulated --of really.yaml           on a network that is a file, too
  bcastgen verify topologies/fsu-1.yaml --on emulated --of really.yaml --rate 10Mbit/s --format json

Machines send to each other all at once, in some ten rounds; what is slower or faster than the file says is measured
again alone. Let nothing else use the network meanwhile: it would look slow.

Exit codes: 0 the file is true, 3 the network differs, 1 the measurements leave it open (measure again) or failed.)";

struct VerifyArguments {
    std::string topology;
    std::string machines;
    std::string fix;
    std::string format = "text";
    WiringClusterChoice cluster;
};

int verify(VerifyArguments options) {
    const Network described = load_topology(options.topology);
    std::vector<Diagnostic> errors = misplaced_for_wiring(options.cluster);
    std::vector<int> machines;
    collect(errors, [&] {
        const std::vector<std::string> hosts = hosts_of(options.cluster.cluster);
        if (options.machines.empty()) options.machines = machines_on(described, hosts);
        machines = taking_part(described, options.machines, "").machines;
        expect_hosts(described, hosts, machines);
    });
    if (!options.fix.empty()) {
        const std::vector<Diagnostic> refused = unwritable("--fix", options.fix);
        errors.insert(errors.end(), refused.begin(), refused.end());
    }
    if (!errors.empty()) throw InputErrors(errors);
    const WiringCluster cluster(options.cluster, described);
    const WiringVerdict verdict = verify_network(described, machines, cluster.instrument(), options.cluster.seed);
    fmt::print("{}", options.format == "json" ? verdict_json(described, verdict) : verdict_text(described, verdict));
    if (!options.fix.empty() && !verdict.findings.empty()) {
        write_file(options.fix, corrected_topology(described, verdict));
        say(fmt::format("next: bcastgen verify {} --on {}", options.fix, options.cluster.cluster.on));
    }
    if (!verdict.findings.empty()) return exit_found_wrong;
    return verdict.unclear.empty() ? exit_done : exit_failed;
}

}  // namespace

void register_verify(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(application, "verify", "Measure whether the network is what a topology file says",
                                    fmt::format("{}\n\nClusters:\n{}", verify_examples, cluster_lines()));
    const auto options = std::make_shared<VerifyArguments>();
    command->add_option("topology", options->topology, "Topology file to verify (docs/formats.md)")->required();
    add_wiring_cluster_options(*command, options->cluster);
    command->add_option("--machines", options->machines, "Hostlist of the machines that take part [all]");
    command->add_option("--fix", options->fix, "If the network differs, write a corrected copy of the file here")
        ->type_name("FILE");
    command->add_option("--format", options->format, "text for people, json for programs")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return verify(*options); }; });
}

}  // namespace bcastgen
