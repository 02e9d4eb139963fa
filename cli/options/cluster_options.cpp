#include "cli/options/cluster_options.hpp"

#include <fmt/format.h>

#include <map>

#include "base/hostlist.hpp"
#include "base/parse_error.hpp"
#include "base/temporary_directory.hpp"
#include "base/wording.hpp"
#include "cli/options/table_help.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/library_build.hpp"
#include "tuner/clusters/costed_network.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/clusters/mpiexec.hpp"

namespace bcastgen {

void add_cluster_options(CLI::App& command, ClusterChoice& choice) {
    command.add_option("--on", choice.on, "Cluster: " + cluster_list())
        ->required()
        ->check(CLI::IsMember(cluster_names()));
    command.add_option("--mpi", choice.mpi, "mpich or openmpi; in a simulation, whose rule native follows")
        ->check(CLI::IsMember({"mpich", "openmpi"}))
        ->capture_default_str();
    command
        .add_option("--hosts", choice.hosts,
                    "mpiexec: hostlist of real hosts, named as the machines are [the batch system's, else all "
                    "ranks run here]")
        ->type_name("HOSTLIST");
    command
        .add_option(
            "--network", choice.network,
            "Simulated: default corrects times by message size, as on Gigabit Ethernet; ideal is latency + bytes "
            "/ bandwidth; fabric adds what software costs and sends a port's messages one after the other; "
            "auto is default up to 1Gbit/s and fabric above; fat-tree is auto over all switches of a fat tree, "
            "by SimGrid's routes")
        ->check(CLI::IsMember(network_models()))
        ->capture_default_str();
    add_lab_options(command, choice.lab);
}

std::vector<Diagnostic> misplaced(const ClusterChoice& choice) {
    std::vector<Diagnostic> errors;
    const auto goes_with_kind = [&](const std::string& option, bool given) {
        if (!given || cluster_kind(choice.on).heeds(option)) return;
        const auto heeding = clusters_with([&](const ClusterKind& kind) { return kind.heeds(option); });
        errors.push_back({option, 0, 0, fmt::format("goes with --on {} only", listed(heeding)), ""});
    };
    goes_with_kind("--hosts", !choice.hosts.empty());
    goes_with_kind("--loss", choice.lab.loss > 0);
    goes_with_kind("--rate", !choice.lab.rate.empty());
    goes_with_kind("--network", choice.network != ClusterChoice().network);
    return errors;
}

std::vector<std::string> hosts_of(const ClusterChoice& choice) {
    const ClusterKind& kind = cluster_kind(choice.on);
    if (kind.given_hosts == nullptr) return {};
    if (choice.hosts.empty() || !kind.heeds("--hosts")) return kind.given_hosts();
    try {
        return expand_hostlist(choice.hosts);
    } catch (const ParseError& error) {
        throw InputErrors({{"--hosts", 1, static_cast<int>(error.offset()) + 1, error.what(), choice.hosts}});
    }
}

std::string machines_on(const Network& network, const std::vector<std::string>& hosts) {
    std::vector<std::string> names;
    for (const auto& [machine, host] : machines_of_hosts(network, hosts)) {
        names.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    }
    return fold_hostlist(names);
}

void expect_hosts(const Network& network, const std::vector<std::string>& hosts, const std::vector<int>& machines) {
    if (hosts.empty()) return;
    const std::map<int, std::string> known = machines_of_hosts(network, hosts);
    std::vector<Diagnostic> errors;
    for (const int machine : machines) {
        if (known.contains(machine)) continue;
        const std::string& name = network.machines[static_cast<std::size_t>(machine)].name;
        errors.push_back(
            {"--machines", 0, 0, fmt::format("{} is not among the hosts {}", name, fold_hostlist(hosts)), ""});
    }
    if (!errors.empty()) throw InputErrors(errors);
}

std::filesystem::path place_for_files(const ClusterChoice& choice, const std::vector<std::string>& hosts) {
    const bool elsewhere = cluster_kind(choice.on).queues || !hosts.empty();
    return elsewhere ? std::filesystem::current_path() : place_for_temporary_files();
}

std::string resolved_network(const ClusterChoice& choice, const Network& network) {
    const NetworkModel model = network_models().at(choice.network);
    return model == NetworkModel::automatic ? simulated_network(network, model) : choice.network;
}

MessageCosts costs_on(const ClusterChoice& choice, const Network& network) {
    if (!cluster_kind(choice.on).heeds("--network")) return message_costs(network);
    return as_simulated(network, simulated_network(network, network_models().at(choice.network))).costs;
}

std::unique_ptr<Cluster> ready_cluster(const ClusterChoice& choice, const std::vector<std::string>& hosts,
                                       const Network& network, const std::filesystem::path& work) {
    const ClusterKind& kind = cluster_kind(choice.on);
    ClusterRequest request{kind.name, network, choice.mpi, {}, work, say};
    if (kind.stands_in.empty()) request.mpi_compiler = choose_compilers({choice.mpi}).front().compiler;
    const LabSettings lab = lab_settings(choice.lab);
    std::unique_ptr<Cluster> cluster =
        make_cluster({choice.on, hosts, network_models().at(choice.network), lab}, request);
    if (kind.shares_host) warn_of_crowding(network, lab);
    cluster->prepare();
    return cluster;
}

}  // namespace bcastgen
