// The decision table of a site that has not been tuned, from prices alone.
#pragma once

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/price/price.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// What a tree's shape says about time.
struct TreeCost {
    int height = 0;    ///< the highest of the trees that go together
    double stage = 0;  ///< of the plan
    double share = 1;  ///< of the message that each tree carries
};
[[nodiscard]] TreeCost cost_of(const Plan& plan);

/// Whether every trunk has the bandwidth of all machines on the side that has fewer, so that no sends of different
/// machines to different machines meet there. O(trunks x switches).
[[nodiscard]] bool carries_all(const Network& network);

/// Whether a rule of ours for messages above `own_above` bytes may as well be for all above `above` bytes, by prices:
/// the shorter its shortest message, the fewer receives are posted at once (Window::sure), which tells where messages
/// are few segments.
[[nodiscard]] bool begins_as_well_at(Prices& prices, const MessageRule& rule, std::size_t own_above, std::size_t above);

/// Schedules of segments are gone through for no more machines than this: where messages share ports, those of 256
/// would take half a minute. For more, trees are counted as so many steps higher.
[[nodiscard]] inline int most_priced_machines(const MessageCosts& costs) {
    return costs.in_turn ? 256 : 64;
}

/// Schedules of messages in one piece, and of the MPI's own broadcast, for no more than this.
inline constexpr int most_priced_whole = 512;

/// For every machine count up to the site's, in ranges that double (above most_priced_machines: that are four times as
/// long), and message sizes in ranges that double: the algorithm and segment size of least price (planner/price) at
/// both ends of the range, if it is less there than that of the MPI's own broadcast by a margin; else native. Segments
/// are never larger than a message that they are for. Prices are those of the first machines of the site's order, the
/// first of them by name being the root, by what messages cost there.
[[nodiscard]] DecisionTable default_table(const Network& network, const SitePlan& site, const MessageCosts& costs);

/// The same by message_costs: for the network itself.
[[nodiscard]] DecisionTable default_table(const Network& network, const SitePlan& site);

}  // namespace bcastgen
