// Options of every command that measures on a cluster, and how a cluster is made of them.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/options/lab_options.hpp"
#include "planner/price/wires.hpp"
#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

struct ClusterChoice {
    std::string on;
    std::string mpi = "mpich";
    std::string hosts;
    std::string network = "auto";
    LabOptions lab;
};

/// --on, --mpi, --hosts, --network, --rate and --loss.
void add_cluster_options(CLI::App& command, ClusterChoice& choice);

/// Errors for options that the cluster would ignore.
[[nodiscard]] std::vector<Diagnostic> misplaced(const ClusterChoice& choice);

/// The hosts to run on: --hosts, or the batch system's; none where the cluster needs none. Throws InputErrors.
[[nodiscard]] std::vector<std::string> hosts_of(const ClusterChoice& choice);

/// The machines of these hosts, as a hostlist; empty for no hosts. Throws InputErrors.
[[nodiscard]] std::string machines_on(const Network& network, const std::vector<std::string>& hosts);

/// Throws InputErrors for machines without a host, if there are hosts.
void expect_hosts(const Network& network, const std::vector<std::string>& hosts, const std::vector<int>& machines);

/// The directory for the files of a run. Real hosts must see them, so it is below the one that the user works in.
[[nodiscard]] std::filesystem::path place_for_files(const ClusterChoice& choice, const std::vector<std::string>& hosts);

/// --network, or what auto comes to on this network.
[[nodiscard]] std::string resolved_network(const ClusterChoice& choice, const Network& network);

/// What predictions for this cluster count: of a simulated one, what its network charges.
[[nodiscard]] MessageCosts costs_on(const ClusterChoice& choice, const Network& network);

/// The cluster, prepared.
[[nodiscard]] std::unique_ptr<Cluster> ready_cluster(const ClusterChoice& choice, const std::vector<std::string>& hosts,
                                                     const Network& network, const std::filesystem::path& work);

}  // namespace bcastgen
