// Placement: ranks of a grid on machines so that rows and columns together load the trunks least.
#pragma once

#include <string>
#include <vector>

#include "planner/grid/crossings.hpp"
#include "planner/grid/grid_plan.hpp"

namespace bcastgen {

/// Looks for the mapping of least cost (GridCost::sum): in tiles first, then by exchanging ranks, first any that costs
/// little more, then only what costs less (simulated annealing). The same for the same seed. Never worse than the
/// block, cyclic and by-name mappings.
[[nodiscard]] Mapping place_grid(const Network& network, const PlacementRequest& request);

/// One of the mappings that are compared.
struct ComparedMapping {
    std::string name;
    Mapping mapping;
    GridCost cost;
    GridPlan plan;  ///< what is proved of it
};

/// The names of the mappings that are compared: "placed", "block", "cyclic", "by-name".
[[nodiscard]] const std::vector<std::string>& compared_mappings();

struct GridPlacement {
    std::vector<ComparedMapping> mappings;  ///< in the sequence of compared_mappings
    Weights weights;
    GridCost bound;  ///< no mapping's cost has a smaller sum
};

/// place_grid's mapping beside the usual ones. `like`: the tree that the loads are proved for.
[[nodiscard]] GridPlacement compare_placements(const Network& network, const PlacementRequest& request,
                                               const PlanRequest& like);

}  // namespace bcastgen
