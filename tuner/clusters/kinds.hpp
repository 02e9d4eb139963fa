// The kinds of cluster: one row for each, and everything else that tells them apart reads these rows.
//
// A new kind is a file with a class and a function that makes one (cluster.hpp), and a row in kinds.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "tuner/clusters/cluster.hpp"
#include "tuner/clusters/lab/wiring.hpp"
#include "tuner/clusters/simulated.hpp"

namespace bcastgen {

/// What the command line says of a cluster. A kind reads what its row lists as its options.
struct ClusterOptions {
    std::string on;                  ///< ClusterKind::name
    std::vector<std::string> hosts;  ///< names of real hosts, the batch system's or those of --hosts; empty: none
    NetworkModel network = NetworkModel::automatic;  ///< --network
    LabSettings lab;                                 ///< --rate and --loss
};

struct ClusterKind {
    std::string name;          ///< as --on has it: "simulated"
    std::string about;         ///< what it is, in one line
    bool exact = false;        ///< the same run takes the same time again, and nothing needs to warm up
    bool datagrams = false;    ///< machines can send each other datagrams, so that multicast can be measured
    bool needs_root = false;   ///< the user who runs it must be root
    bool shares_host = false;  ///< all machines are played on this host, whose processors they share
    bool queues = false;       ///< runs outside an allocation wait in a queue, so that a tuning goes there as one job
    std::vector<std::string> programs{};  ///< that it runs, beside the MPI's
    std::string programs_from{};          ///< who brings them, for people who lack them
    std::string stands_in{};              ///< what runs in place of the MPI asked for; empty: that MPI, by its compiler
    std::vector<std::string> options{};   ///< of --hosts, --loss, --rate, --network and --of those it heeds
    std::vector<std::string> (*given_hosts)() = nullptr;   ///< the batch system's; nullptr: it has no use for hosts
    const std::vector<std::string>& (*peers)() = nullptr;  ///< broadcasts beside the MPI's own, for smpi:NAME
    std::unique_ptr<Cluster> (*make)(const ClusterOptions& options, ClusterRequest request) = nullptr;

    [[nodiscard]] bool heeds(std::string_view option) const;
};

/// In the sequence that --help has them.
[[nodiscard]] const std::vector<ClusterKind>& cluster_kinds();

[[nodiscard]] std::vector<std::string> cluster_names();

/// The names of the kinds that `trait` is true of.
template <class Trait>
[[nodiscard]] std::vector<std::string> clusters_with(const Trait& trait) {
    std::vector<std::string> names;
    for (const ClusterKind& kind : cluster_kinds()) {
        if (trait(kind)) names.push_back(kind.name);
    }
    return names;
}

/// The kind of that name. Throws std::invalid_argument if there is none.
[[nodiscard]] const ClusterKind& cluster_kind(std::string_view name);

/// The same, or a kind with that name and without traits: for names from files that another version may have written.
[[nodiscard]] ClusterKind recorded_cluster_kind(const std::string& name);

/// True if such a cluster can run the algorithm on the network's machines.
[[nodiscard]] bool runs_on(bcast::Algorithm algorithm, const ClusterKind& kind, const Network& network);

/// For programs with a cluster of their own. Not while another thread reads the table. Throws std::invalid_argument if
/// the name is taken.
void add_cluster_kind(ClusterKind kind);

/// Throws InputErrors for options that the cluster cannot serve.
[[nodiscard]] std::unique_ptr<Cluster> make_cluster(const ClusterOptions& options, ClusterRequest request);

}  // namespace bcastgen
