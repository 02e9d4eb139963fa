// Runs MPI programs in SimGrid's simulation (SMPI) of the network.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

/// How the simulator turns bytes into time.
enum class NetworkModel {
    automatic,  ///< realistic where no port is faster than Gigabit Ethernet, else fabric
    realistic,  ///< SimGrid's own: bandwidth and latency corrected by message size, as measured over Gigabit Ethernet
    ideal,      ///< exactly latency + bytes / bandwidth
    fabric,     ///< ideal, with software that takes time and ports that send one message after the other
    fat_tree,   ///< automatic, over all switches of a regular fat tree by SimGrid's own routes
};

/// By the names that --network has for them.
[[nodiscard]] const std::map<std::string, NetworkModel>& network_models();

/// What the choice comes to on these machines, by the name of what is simulated: "default", "ideal", "fabric",
/// "fat-tree" or "fat-tree-fabric".
[[nodiscard]] std::string simulated_network(const Network& network, NetworkModel choice);

/// The model that such a name stands for: realistic, ideal or fabric. Realistic for names of no model.
[[nodiscard]] NetworkModel model_of(const std::string& simulated_network);

/// A cluster whose machines exist only in SimGrid. Runs are deterministic and need neither root nor a network.
///
/// Modelled: every link with its latency and its bandwidth in each direction, shared fairly by the messages that cross
/// it; the paths of the network's spanning tree; several ranks per machine, which meet in memory. A trunk of several
/// cables carries a stream on each, none faster than a cable. Not modelled: computation, so a program's own work takes
/// no time at all; what MPI's own software takes is modelled by `fabric` alone.
[[nodiscard]] std::unique_ptr<Cluster> make_simulated_cluster(ClusterRequest request, NetworkModel model);

/// The broadcast algorithms of SimGrid that `smpi:NAME` names, sorted. Without NTSB, NTSL and NTSL_Isend, which wait
/// for ever unless MPI buffers what they send, and `automatic`, which tries those too.
[[nodiscard]] const std::vector<std::string>& simgrid_broadcasts();

}  // namespace bcastgen
