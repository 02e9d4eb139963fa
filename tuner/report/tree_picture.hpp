// An algorithm's trees, and what they load on the network, as pictures with a caption.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

struct TreePicture {
    std::vector<std::string> svgs;  ///< the files: the switches, if there are several, and each tree
    std::string caption;            ///< what is what, and the plan's figures
};

/// Trees over so many machines are not planned for a picture: minutes.
inline constexpr std::size_t most_machines_planned = 20'000;

/// The request for the tree that an algorithm of the library moves messages along; arrival-aware ones stream along the
/// linear tree. None for native and others without a tree.
[[nodiscard]] std::optional<PlanRequest> tree_of(const std::string& algorithm);

/// The pictures of bcastgen plan --format svg, one by one.
[[nodiscard]] TreePicture tree_picture(const Network& network, const Plan& plan);

}  // namespace bcastgen
