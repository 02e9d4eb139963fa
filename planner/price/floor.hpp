// What no broadcast can beat: the one-port bound, and that of the thinnest cut (docs/predictions.md).
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// A machine whose port and software are as good as the best ones among those that take part.
struct BestMachine {
    double gap_s = 0;            ///< from one send to the next at the least, without bytes
    double s_per_byte = 0;       ///< of the port
    double on_the_way_s = 0;     ///< from when a send begins until its receiver may send it on, without bytes
    double work_s_per_byte = 0;  ///< of the processor, sending; and the same again receiving
    double envelope_bytes = 0;   ///< that the port carries for each message besides
};

/// Seconds in which a message of n segments of `segment_bytes` can have reached `machines` machines at the earliest,
/// each like `best`: n - 1 gaps at the root, and then as long as the optimal broadcast of one segment takes, in which
/// each holder sends once a gap. Where nothing is lost on the way these are n - 1 + ceil(log2 P) rounds. O(log P) steps
/// of that broadcast.
[[nodiscard]] double one_port_floor_s(const BestMachine& best, int machines, std::size_t segments,
                                      double segment_bytes);

/// The floor of a broadcast of so many bytes from `root` to `machines`, the root among them, where messages cost what
/// `costs` says: the least over all numbers of equal segments of one_port_floor_s, or the time of the link that every
/// copy for one side of it must cross, if that is more. No segment is taken to do worse on Ethernet than the size does
/// that does best there. 0 for one machine. O(P + trunks x depth).
[[nodiscard]] double floor_s(const Network& network, const MessageCosts& costs, const std::vector<int>& machines,
                             int root, std::size_t bytes);

}  // namespace bcastgen
