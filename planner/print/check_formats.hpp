// What was understood of a topology file, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// Figures, then the switches as the tree that the trunks in use make, then the idle trunks. Long lists are cut.
/// With `routes`, also what planned trees load along them.
[[nodiscard]] std::string check_text(const Network& network, const Routes* routes = nullptr);

/// Everything, as format bcastgen-check/1 (docs/formats.md).
[[nodiscard]] std::string check_json(const Network& network, const Routes* routes = nullptr);

/// A tree over all machines from the first one, along known routes.
struct RouteCheck {
    bcast::Algorithm tree;
    double heaviest = 0;  ///< load of a link between switches
    double stage = 0;
    bool contention_free = false;
};

/// The linear, the binary and the two-tree.
[[nodiscard]] std::vector<RouteCheck> check_routes(const Network& network, const Routes& routes);

}  // namespace bcastgen
