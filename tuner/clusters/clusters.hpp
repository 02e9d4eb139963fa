// The clusters by name, as --on has them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"
#include "tuner/clusters/lab/wiring.hpp"
#include "tuner/clusters/simulated.hpp"

namespace bcastgen {

struct ClusterOptions {
    std::string on;                  ///< one of cluster_names()
    std::vector<std::string> hosts;  ///< mpiexec: names of real hosts; empty: all ranks run on this one
                                     ///< slurm: of the allocation that we run in; empty: jobs are submitted
    NetworkModel network = NetworkModel::realistic;  ///< simulated
    LabSettings lab;                                 ///< emulated
};

[[nodiscard]] const std::vector<std::string>& cluster_names();

/// Throws InputErrors for options that the cluster cannot serve.
[[nodiscard]] std::unique_ptr<Cluster> make_cluster(const ClusterOptions& options, ClusterRequest request);

}  // namespace bcastgen
