// The load proof: what a set of trees puts on every directed link, worked out from the network itself.
//
// Shares no code with the tree builders: it knows neither orders nor subtrees, only cables and who sends to whom.
#pragma once

#include <utility>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/network/routes.hpp"

namespace bcastgen {

/// A tree as the proof sees it: the share of the message that it carries and its transmissions (sender, receiver).
struct Transmissions {
    double share = 1;
    std::vector<std::pair<int, int>> edges;  ///< machines
};

/// A part of the message, `share` of it, on its way from one machine to another.
struct PartSent {
    int from;
    int to;
    double share;
};

struct LoadProof {
    /// By LinkId: sum over the trees of share x number of transmissions that cross the link; of several cables with
    /// known routes the most loaded one's. In a folded Clos without known routes an upper bound (folded_clos.hpp).
    std::vector<double> loads;
    /// Every machine but the root receives exactly once in each tree, and from a machine that the root reaches.
    bool covers = false;
    /// One tree: no two transmissions of different senders share a directed link (Pipelined broadcast on Ethernet
    /// switched clusters, section 4), unless it has the bandwidth of all their ports together. Several trees: no load
    /// above 1, or on a wide link above its bandwidth over the reference's.
    bool contention_free = false;
    /// Largest load x reference bandwidth / link bandwidth: the steady-state cost of a pipelined broadcast, in units of
    /// the time that the message takes once through the reference port, which is the fastest of the machines that take
    /// part. A trunk counts as one cable, since nothing says that two transmissions would take different cables.
    double stage = 0;
};

/// Proves or refutes a plan for `machines` (distinct, the root among them), along `routes` if they are given.
/// O(transmissions x path length).
[[nodiscard]] LoadProof prove_load(const Network& network, const std::vector<int>& machines, int root,
                                   const std::vector<Transmissions>& trees, const Routes* routes = nullptr);

/// The same for phases that follow each other, as those of a scatter and an allgather: loads add up; contention-free if
/// no phase has two senders on a cable without the bandwidth for both; covered if every machine but the root is sent
/// as much as the message holds, or more.
[[nodiscard]] LoadProof prove_phases(const Network& network, const std::vector<int>& machines, int root,
                                     const std::vector<std::vector<PartSent>>& phases, const Routes* routes = nullptr);

/// By LinkId: the stage that each link's load asks for, as in LoadProof::stage, where the reference port has so many
/// bytes per second.
[[nodiscard]] std::vector<double> link_stages(const Network& network, const std::vector<double>& loads,
                                              double reference_Bps);

/// Bandwidth of the fastest port of these machines, bytes per second.
[[nodiscard]] double reference_bandwidth_Bps(const Network& network, const std::vector<int>& machines);

/// Of all machines.
[[nodiscard]] double reference_bandwidth_Bps(const Network& network);

}  // namespace bcastgen
