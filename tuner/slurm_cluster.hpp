// Machines of a Slurm cluster: those of the allocation that we run in, or else of jobs that we submit.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cluster.hpp"

namespace bcastgen {

/// `hosts` maps machines to the nodes of the allocation that we run in; none: every run is a job of its own, on nodes
/// called as the machines are. Ranks are started by srun under MPICH, by Open MPI's own mpiexec under Open MPI.
[[nodiscard]] std::unique_ptr<Cluster> make_slurm_cluster(ClusterRequest request, std::map<int, std::string> hosts);

/// The nodes of the Slurm allocation that we run in; none outside one.
[[nodiscard]] std::vector<std::string> allocated_hosts();

}  // namespace bcastgen
