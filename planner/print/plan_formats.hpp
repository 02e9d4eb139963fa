// The four ways to write a plan down; docs/formats.md describes them. All are deterministic.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// For reading in a terminal: a drawing of the tree, its figures, the links that decide its speed. Large plans are
/// shortened.
/// UTF-8, lines end in "\n".
[[nodiscard]] std::string plan_text(const Network& network, const Plan& plan);

/// For programs: format bcastgen-plan/1.
[[nodiscard]] std::string plan_json(const Network& network, const Plan& plan);

/// For Graphviz's dot: the switches with their trunks' loads, and each tree from the root on top, in a colour of its
/// own. What is alike, and what would make the picture too large to read, is drawn once or counted (shown_switches.hpp,
/// shown_boxes.hpp).
[[nodiscard]] std::string plan_dot(const Network& network, const Plan& plan);

/// The same as a picture for the switches, if there are several, and one for each tree, without a heading: for pages
/// that are less wide.
[[nodiscard]] std::vector<std::string> plan_dots(const Network& network, const Plan& plan);

/// plan_dot's picture, drawn by Graphviz. Throws std::runtime_error if Graphviz cannot draw it. One thread at a time:
/// Graphviz is not safe for more.
[[nodiscard]] std::string plan_svg(const Network& network, const Plan& plan);

}  // namespace bcastgen
