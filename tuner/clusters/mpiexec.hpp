// Runs MPI programs through the MPI's own launcher on hosts that are there already.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

/// Ranks are started by mpiexec. `hosts` names the host of each machine of the network (as machines_of_hosts gives it)
/// and the launcher reaches them its own way (ssh, the batch system). Without hosts every rank runs on this one and
/// plays its machine, by BCASTGEN_MACHINES: for trying things; times mean little then.
[[nodiscard]] std::unique_ptr<Cluster> make_mpiexec_cluster(ClusterRequest request, std::map<int, std::string> hosts);

/// The hosts that a batch system gave to this job (Slurm, PBS, LSF, OAR), each once; empty outside of one.
[[nodiscard]] std::vector<std::string> batch_hosts();

/// Machine -> host, for hosts whose names, whole or up to the first dot, are those of machines of the network.
/// Throws InputErrors with every host that is not a machine, or two hosts that are one.
[[nodiscard]] std::map<int, std::string> machines_of_hosts(const Network& network,
                                                           const std::vector<std::string>& hosts);

}  // namespace bcastgen
