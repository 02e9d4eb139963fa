// The topology with an algorithm's trees drawn over it, by Graphviz.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// Up to so many machines are drawn one by one; of more, each switch stands for its own.
inline constexpr int most_machines_drawn_singly = 64;

struct TreePicture {
    std::string svg;      ///< the file; empty: nothing of use could be drawn
    std::string caption;  ///< what is what, and the plan's figures
};

/// Trees over so many machines are not planned for a picture: minutes.
inline constexpr std::size_t most_machines_planned = 20'000;

/// The request for the tree that an algorithm of the library moves messages along; arrival-aware ones stream along the
/// linear tree. None for native and others without a tree.
[[nodiscard]] std::optional<PlanRequest> tree_of(const std::string& algorithm);

/// Machines on their switches, trunks, and the sends of each tree in its own colour. Where there are too many switches
/// to draw, the outermost are drawn as part of the switch that they hang on.
[[nodiscard]] TreePicture tree_picture(const Network& network, const Plan& plan);

}  // namespace bcastgen
