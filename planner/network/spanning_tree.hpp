// Which trunks carry messages when the switches form cycles.
#pragma once

#include <cstdint>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Sets Trunk::in_tree, by the network's own rule, to a tree over all switches (the network hangs together):
/// automatic: in a folded Clos network a tree of its virtual switches (folded_clos.hpp), else a spanning tree of the
/// greatest total bandwidth (cables counted), and among those one of low depth; stp: the tree that 802.1D bridges agree
/// on.
void choose_spanning_tree(Network& network);

/// 802.1D's cost of a port: 20 Tbit/s over the bandwidth of all its cables, from 1 to 200,000,000 (IEEE 802.1D-2004,
/// clause 17.14: 200,000 at 100 Mbit/s, 2,000 at 10 Gbit/s).
[[nodiscard]] std::uint64_t stp_path_cost(const Trunk& trunk);

/// The root that 802.1D bridges elect: the lowest priority, then the first name in byte order (for the MAC address).
[[nodiscard]] int stp_root(const Network& network);

}  // namespace bcastgen
