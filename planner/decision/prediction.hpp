// The decision table of a site that has not been tuned, from its plan and link parameters alone.
#pragma once

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

/// What handing a segment to MPI at one end and taking it at the other costs. Not in a topology file, so one figure for
/// all; measured tables (tuning) know better.
inline constexpr double software_overhead_s = 5e-6;

/// So many bytes more than it carries is what a segment costs on the wire: headers, a last frame that is not full,
/// acknowledgements. Seen alike in SimGrid's model and over TCP (docs/performance.md).
inline constexpr double segment_envelope_bytes = 1024;

/// What a tree's shape says about time.
struct TreeCost {
    int height = 0;    ///< the highest of the trees that go together
    int fanout = 0;    ///< most children of a machine, all trees together
    double stage = 0;  ///< of the plan
    double share = 1;  ///< of the message that each tree carries
};

/// What sending a segment costs besides its bytes, in seconds.
struct StartUp {
    double overhead_s = 0;  ///< of the sender, for each child in turn
    double latency_s = 0;   ///< on the way, at the same time for all children
};

/// Of sending between neighbours of the order, whose linear tree `linear` is; the latency is the mean of their paths.
[[nodiscard]] StartUp start_up_of(const Network& network, const Plan& linear);
[[nodiscard]] TreeCost cost_of(const Plan& plan);

/// Predicted completion of one broadcast in seconds, after section 3 of "Pipelined broadcast on Ethernet switched
/// clusters": a message of X segments over a tree of height H takes X + H - 1 stages, and a stage the time that the
/// busiest link needs for a segment of each tree. segment_bytes 0: in one piece.
[[nodiscard]] double pipelined_time_s(const TreeCost& tree, const StartUp& start_up, double bandwidth_Bps,
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

/// For every machine count up to the site's, in ranges that double: where a binomial tree in one piece wins by these
/// formulas, native for the smallest messages and on a single switch (that is what every MPI does there already), and
/// the binomial tree over the order where ranks in any sequence might meet on trunks. Else the best of linear, binary
/// and 3-ary trees and the two-tree with its best segment size, which is never larger than a message that it is for;
/// of segment sizes nearly as good the smallest. Trees are those of the first machines of the site's order.
[[nodiscard]] DecisionTable default_table(const Network& network, const SitePlan& site);

}  // namespace bcastgen
