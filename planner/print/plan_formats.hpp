// The four ways to write a plan down; docs/formats.md describes them. All are deterministic.
#pragma once

#include <string>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// For reading in a terminal: a drawing of the tree, its figures, the links that decide its speed. Large plans are
/// shortened.
/// UTF-8, lines end in "\n".
[[nodiscard]] std::string plan_text(const Network& network, const Plan& plan);

/// For programs: format bcastgen-plan/1.
[[nodiscard]] std::string plan_json(const Network& network, const Plan& plan);

/// For Graphviz's dot: machines boxed by switch, the tree's sends over the cables. Above 200 machines only the
/// switches.
[[nodiscard]] std::string plan_dot(const Network& network, const Plan& plan);

/// plan_dot's picture, drawn by Graphviz. Throws InputErrors for more than 2,000 switches and std::runtime_error if
/// Graphviz cannot draw it. One thread at a time: Graphviz is not safe for more.
[[nodiscard]] std::string plan_svg(const Network& network, const Plan& plan);

/// Throws InputErrors for a network of more than 2,000 switches, which Graphviz would lay out for minutes.
void refuse_large_drawing(const Network& network);

}  // namespace bcastgen
