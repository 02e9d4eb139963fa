// A broadcast down trees in segments, gone through event by event: what planner/price/tree_schedule.hpp must agree
// with.
//
// Nothing is clever here. Whenever anything happens, every machine looks at what it may do, every message's speed is
// worked out anew from all messages on all links, and the next thing to happen is looked for among all that can.
#pragma once

#include <vector>

#include "planner/price/tree_schedule.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen::testing {

/// When the last machine has the last segment of every tree, with fair sharing.
[[nodiscard]] double modelled_end_s(const Wires& wires, const std::vector<TreeStream>& streams);

}  // namespace bcastgen::testing
