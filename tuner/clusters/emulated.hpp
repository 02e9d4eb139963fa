// The topology built on this host (lab.hpp), and real MPI programs across it.
#pragma once

#include <memory>

#include "tuner/clusters/cluster.hpp"
#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

/// Ranks are started by the MPI's own launcher, on the job's first machine, and talk TCP across the lab's links.
[[nodiscard]] std::unique_ptr<Cluster> make_emulated_cluster(ClusterRequest request, LabSettings settings);

}  // namespace bcastgen
