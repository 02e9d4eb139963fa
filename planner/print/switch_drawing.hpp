// The switches of a network as a tree in lines of text, and what such lines are made of.
//
//   s0                     16 machines  n[0-15]
//   └─ s1  100Mbit/s 20us  16 machines  n[16-31]
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/network/switch_graph.hpp"

namespace bcastgen {

/// "100Mbit/s 20us"
[[nodiscard]] std::string speed_text(const LinkSpeed& speed);

/// The same, or "4 cables of 100Mbit/s 20us".
[[nodiscard]] std::string trunk_text(const Trunk& trunk);

/// A hostlist, cut where it is long.
[[nodiscard]] std::string hostlist_text(const std::vector<std::string>& names);

/// A line of columns. The first may contain a drawing, so its width is that of its characters, not its bytes.
using Row = std::vector<std::string>;

[[nodiscard]] std::string text_table(const std::vector<Row>& rows);

/// The switches hung from the tree's root, a line each: name, its trunk upwards, how many machines, which. `remarks`,
/// by switch, stand beside it, each in a line of its own; empty: none.
[[nodiscard]] std::string draw_switches(const Network& network, const SwitchTree& tree,
                                        const std::vector<std::vector<std::string>>& remarks = {});

}  // namespace bcastgen
