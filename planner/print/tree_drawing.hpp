// A tree in lines of text.
//
//   n0                              s0
//   ├─ n12 → n16                    s0
//   └─ n1                           s0 → s1
//      └─ n2 → n6 → n10 → n14       s1 → s0 → s2
//         └─ n3                     s2 → s0 → s3
//
// A line further in is a send further from the root. Machines of one switch that hand the message on to one other each
// share a line (strands.hpp). The right column names the switches that the send to the line's first machine goes
// through.
#pragma once

#include <string>
#include <string_view>

#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// The drawing, of about `most_lines` lines at most: what is furthest from the root is only counted ("… 37 machines").
[[nodiscard]] std::string draw_tree(const Network& network, const bcast::Order& order, const bcast::Tree& tree,
                                    int most_lines);

/// What follows the name of a plan's algorithm: " tree", " trees" for a pair; nothing if the name says so already, or
/// for a ring.
[[nodiscard]] std::string_view tree_word(const Plan& plan);

}  // namespace bcastgen
