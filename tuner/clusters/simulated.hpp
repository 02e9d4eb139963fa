// Runs MPI programs in SimGrid's simulation (SMPI) of the network.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

/// How the simulator turns bytes into time.
enum class NetworkModel {
    realistic,  ///< SimGrid's own: bandwidth and latency corrected by message size, as measured on real clusters
    ideal,      ///< exactly latency + bytes / bandwidth
    fat_tree,   ///< realistic, over all switches of a regular fat tree by SimGrid's own routes
};

/// A cluster whose machines exist only in SimGrid. Runs are deterministic and need neither root nor a network.
///
/// Modelled: every link with its latency and its bandwidth in each direction, shared fairly by the messages that cross
/// it; the paths of the network's spanning tree; several ranks per machine, which meet in memory. A trunk of several
/// cables carries a stream on each, none faster than a cable. Not modelled: computation, so a program's own work takes
/// no time at all.
[[nodiscard]] std::unique_ptr<Cluster> make_simulated_cluster(ClusterRequest request, NetworkModel model);

/// The broadcast algorithms of SimGrid that `smpi:NAME` names, sorted. Without NTSB, NTSL and NTSL_Isend, which wait
/// for ever unless MPI buffers what they send, and `automatic`, which tries those too.
[[nodiscard]] const std::vector<std::string>& simgrid_broadcasts();

}  // namespace bcastgen
