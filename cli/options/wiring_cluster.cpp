#include "cli/options/wiring_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hostlist.hpp"
#include "base/wording.hpp"
#include "cli/options/input_file.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "planner/network/switch_graph.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/clusters/lab/wiring.hpp"
#include "tuner/measure/wiring_instrument.hpp"

namespace bcastgen {

namespace {

constexpr const char* of_option = "--of";

/// By machine of the network that is asked about: its index in the one that is there.
std::vector<int> machines_there(const Network& asked, const Network& there, const std::string& file) {
    std::map<std::string, int> index;
    for (const Machine& machine : there.machines) index.emplace(machine.name, static_cast<int>(index.size()));
    std::vector<int> machines;
    std::vector<std::string> missing;
    for (const Machine& machine : asked.machines) {
        const auto found = index.find(machine.name);
        if (found == index.end()) missing.push_back(machine.name);
        machines.push_back(found == index.end() ? -1 : found->second);
    }
    if (!missing.empty()) {
        throw InputErrors({{of_option, 0, 0, fmt::format("{} has no machines {}", file, fold_hostlist(missing)), ""}});
    }
    return machines;
}

double longest_way_s(const Network& network) {
    double port_s = 0;
    for (const Machine& machine : network.machines) port_s = std::max(port_s, machine.port.latency_s);
    double trunks_s = 0;
    std::vector<double> latencies;
    for (const Trunk& trunk : network.trunks) {
        if (trunk.in_tree) latencies.push_back(trunk.speed.latency_s);
    }
    // No way crosses more trunks than twice the depth of the tree.
    const SwitchTree tree = hang_from(network, central_switch(network));
    std::sort(latencies.rbegin(), latencies.rend());
    const auto most = static_cast<std::size_t>(2 * std::max(0, tree.levels - 1));
    for (std::size_t i = 0; i < std::min(most, latencies.size()); ++i) trunks_s += latencies[i];
    return 2 * port_s + trunks_s;
}

double fastest_port_of(const Network& network) {
    double fastest_Bps = 0;
    for (const Machine& machine : network.machines) fastest_Bps = std::max(fastest_Bps, machine.port.bandwidth_Bps);
    return fastest_Bps;
}

}  // namespace

void add_wiring_cluster_options(CLI::App& command, WiringClusterChoice& choice) {
    add_cluster_options(command, choice.cluster);
    const auto played = clusters_with([](const ClusterKind& kind) { return kind.heeds(of_option); });
    command
        .add_option(
            of_option, choice.of,
            fmt::format("{}: topology file of the network that is really there, which only the measurements see",
                        listed(played)))
        ->type_name("FILE");
    command.add_option("--seed", choice.seed, "Seed for the places that machines change between rounds")
        ->capture_default_str();
}

Network undescribed_network(const WiringClusterChoice& choice, const std::string& machines) {
    std::vector<std::string> names = hosts_of(choice.cluster);
    if (!machines.empty()) {
        OptionErrors errors;
        errors.parse("--machines", machines, [&] { names = expand_hostlist(machines); });
        errors.check();
    } else if (!choice.of.empty()) {
        for (const Machine& machine : load_topology(choice.of).machines) names.push_back(machine.name);
    }
    if (names.size() < 2) {
        throw InputErrors({{"--machines", 0, 0, "two machines or more are needed, as a hostlist: \"n[0-15]\"", ""}});
    }
    Network network;
    network.name = "undescribed";
    network.switches.push_back({"all"});
    for (const std::string& name : names) network.machines.push_back({name, 0, {}});
    return network;
}

std::vector<Diagnostic> misplaced_for_wiring(const WiringClusterChoice& choice) {
    std::vector<Diagnostic> errors = misplaced(choice.cluster);
    const bool heeds = cluster_kind(choice.cluster.on).heeds(of_option);
    if (heeds == !choice.of.empty()) return errors;
    const auto played = clusters_with([](const ClusterKind& kind) { return kind.heeds(of_option); });
    errors.push_back({of_option, 0, 0,
                      heeds ? fmt::format("is needed with --on {}: the topology file of the network that is there",
                                          choice.cluster.on)
                            : fmt::format("goes with --on {} only", listed(played)),
                      ""});
    return errors;
}

WiringCluster::WiringCluster(const WiringClusterChoice& choice, const Network& asked)
    : work_(place_for_files(choice.cluster, hosts_of(choice.cluster))),
      there_(choice.of.empty() ? asked : load_topology(choice.of)) {
    const std::vector<int> machines = machines_there(asked, there_, choice.of);
    const std::vector<std::string> hosts = hosts_of(choice.cluster);
    const ClusterKind& kind = cluster_kind(choice.cluster.on);
    if (kind.heeds("--hosts") && hosts.empty()) {
        say("without --hosts all ranks run on this host, and their messages cross no network");
    }
    cluster_ = ready_cluster(choice.cluster, hosts, there_, work_.path());
    const Waiting waiting("compiling the wiring program");
    const LabSettings lab = lab_settings(choice.cluster.lab);
    // Only what is played goes at another speed than its file says; of a real network nothing may be described.
    const double factor = choice.of.empty() ? 1 : speed_factor(there_, lab);
    WiringMeasurement measurement{*cluster_, build_wiring_program(*cluster_, work_.path()), work_.path(), machines};
    measurement.speed_factor = factor;
    measurement.port_Bps = factor * fastest_port_of(asked);
    measurement.longest_way_s = longest_way_s(asked) / factor;
    measurement.exact = kind.exact;
    const bool undescribed = measurement.port_Bps == 0;
    if (undescribed) calibrate(measurement);
    instrument_ = [this, measurement, undescribed](const std::vector<Round>& rounds) mutable {
        ProgressBar progress("measuring");
        WiringMeasurement shown = measurement;
        shown.on_progress = [&](std::size_t done, std::size_t all) { progress.show(done, all); };
        shown.on_took = [this](double seconds) { measured_s_ += seconds; };
        std::vector<Answer> answers = wiring_instrument(shown)(rounds);
        if (undescribed) learn_longest_way(measurement, rounds, answers);
        return answers;
    };
}

}  // namespace bcastgen
