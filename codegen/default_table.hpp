// The decision table of a site that has not been tuned, from its plan and link parameters alone.
#pragma once

#include "decision_table.hpp"
#include "network.hpp"
#include "plan.hpp"

namespace bcastgen {

/// What a segment costs beyond its time on the wire: handing it to MPI at one end and taking it at the other. Not in a
/// topology file, so one figure for all; measured tables (tuning) know better.
inline constexpr double software_overhead_s = 5e-6;

/// Predicted completion of one broadcast in seconds, after section 3 of "Pipelined broadcast on Ethernet switched
/// clusters": a message of X segments of s bytes over a tree of height H and stage D takes (X + H - 1) * D * T(s).
/// T(s) = startup_s + s / bandwidth. segment_bytes 0: in one piece.
struct TreeCost {
    int height = 0;
    int fanout = 0;
    double stage = 0;
};
[[nodiscard]] double pipelined_time_s(const TreeCost& tree, double startup_s, double bandwidth_Bps,
                                      std::size_t message_bytes, std::size_t segment_bytes);

/// A tree whose machines pass a message on once all of it is there, to one child after the other.
struct WholeTree {
    bcast::Tree tree;
    std::vector<double> seconds_per_byte;  ///< by position: from its parent, on the narrowest link between them
};
[[nodiscard]] WholeTree whole_tree(const Network& network, const Plan& plan);

/// Predicted completion of a broadcast over it, as if no two transmissions ever met: log2(P) * T(m) for a binomial tree
/// over equal links.
[[nodiscard]] double whole_time_s(const WholeTree& whole, double startup_s, std::size_t message_bytes);

/// For every machine count up to the site's, in ranges that double: native where a binomial tree in one piece wins
/// by these formulas (that is what every MPI does there already), else the best of linear, binary and 3-ary trees with
/// its best segment size, which is never larger than a message that it is for. Trees are those of the first machines of
/// the site's order.
[[nodiscard]] DecisionTable default_table(const Network& network);

}  // namespace bcastgen
