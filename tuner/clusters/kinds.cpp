#include "tuner/clusters/kinds.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tuner/clusters/emulated.hpp"
#include "tuner/clusters/mpiexec.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {

namespace {

std::unique_ptr<Cluster> simulated(const ClusterOptions& options, ClusterRequest request) {
    return make_simulated_cluster(std::move(request), options.network);
}

std::unique_ptr<Cluster> emulated(const ClusterOptions& options, ClusterRequest request) {
    return make_emulated_cluster(std::move(request), options.lab);
}

std::unique_ptr<Cluster> mpiexec(const ClusterOptions& options, ClusterRequest request) {
    std::map<int, std::string> hosts = machines_of_hosts(request.network, options.hosts);
    return make_mpiexec_cluster(std::move(request), std::move(hosts));
}

std::unique_ptr<Cluster> slurm(const ClusterOptions& options, ClusterRequest request) {
    std::map<int, std::string> hosts = machines_of_hosts(request.network, options.hosts);
    return make_slurm_cluster(std::move(request), std::move(hosts));
}

std::vector<ClusterKind>& table() {
    static std::vector<ClusterKind> kinds{
        {.name = "simulated",
         .about = "SimGrid's simulation of the network: exactly repeatable, up to about a thousand machines",
         .exact = true,
         .programs = {"smpicxx", "smpirun"},
         .programs_from = "SimGrid (Debian: libsimgrid-dev)",
         .stands_in = "SimGrid",
         .options = {"--network", "--of"},
         .peers = simgrid_broadcasts,
         .make = simulated},
        {.name = "emulated",
         .about = "the network built on this host, every link shaped to its bandwidth, with a real MPI across it",
         .datagrams = true,
         .needs_root = true,
         .shares_host = true,
         .programs = {"ip", "tc", "nsenter", "mpiexec"},
         .programs_from = "iproute2, util-linux and an MPI",
         .options = {"--rate", "--loss", "--of"},
         .make = emulated},
        {.name = "mpiexec",
         .about = "real hosts through the MPI's own launcher; without --hosts all ranks run here, for trials",
         .datagrams = true,
         .programs = {"mpiexec"},
         .programs_from = "an MPI",
         .options = {"--hosts"},
         .given_hosts = batch_hosts,
         .make = mpiexec},
        {.name = "slurm",
         .about = "the nodes of the Slurm allocation it runs in, or of jobs that it submits",
         .datagrams = true,
         .queues = true,
         .programs = {"srun", "sbatch", "scontrol", "scancel"},
         .programs_from = "Slurm (Debian: slurm-client)",
         .given_hosts = allocated_hosts,
         .make = slurm}};
    return kinds;
}

const ClusterKind* find(std::string_view name) {
    const auto found =
        std::find_if(table().begin(), table().end(), [&](const ClusterKind& kind) { return kind.name == name; });
    return found == table().end() ? nullptr : &*found;
}

}  // namespace

bool ClusterKind::heeds(std::string_view option) const {
    return std::find(options.begin(), options.end(), option) != options.end();
}

const std::vector<ClusterKind>& cluster_kinds() {
    return table();
}

std::vector<std::string> cluster_names() {
    return clusters_with([](const ClusterKind&) { return true; });
}

const ClusterKind& cluster_kind(std::string_view name) {
    const ClusterKind* kind = find(name);
    if (kind == nullptr) throw std::invalid_argument("no cluster is called " + std::string(name));
    return *kind;
}

ClusterKind recorded_cluster_kind(const std::string& name) {
    const ClusterKind* kind = find(name);
    return kind != nullptr ? *kind : ClusterKind{.name = name, .about = {}};
}

bool runs_on(bcast::Algorithm algorithm, const ClusterKind& kind, const Network& network) {
    return !bcast::has(algorithm, bcast::trait::needs_datagrams) || (kind.datagrams && network.multicast.has_value());
}

void add_cluster_kind(ClusterKind kind) {
    if (find(kind.name) != nullptr) throw std::invalid_argument("there is a cluster called " + kind.name);
    table().push_back(std::move(kind));
}

std::unique_ptr<Cluster> make_cluster(const ClusterOptions& options, ClusterRequest request) {
    const ClusterKind& kind = cluster_kind(options.on);
    request.name = kind.name;
    return kind.make(options, std::move(request));
}

}  // namespace bcastgen
