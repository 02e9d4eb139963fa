#include "planner/grid/placement.hpp"

#include <utility>

#include "planner/grid/exchanges.hpp"
#include "planner/grid/tiles.hpp"

namespace bcastgen {

Mapping place_grid(const Network& network, const PlacementRequest& request) {
    const Grid& grid = request.grid;
    const Cuts cuts(network, request.slots);
    const auto cost = [&](const Mapping& mapping) { return cost_of(cuts, grid, mapping).sum(request.weights); };
    Mapping best = best_tiles(network, cuts, request);
    for (Mapping usual :
         {cyclic_mapping(network, grid, request.slots), mapping_by_name(network, grid, request.slots)}) {
        if (cost(usual) < cost(best)) best = std::move(usual);
    }
    const double enough = cost_lower_bound(cuts, grid, request.weights).sum(request.weights);
    PlacementRequest attempt = request;
    for (const double temperature : {0.02, 0.06, 0.2, 0.6}) {
        best = improve_by_exchanges(cuts, attempt, std::move(best), enough, temperature);
        ++attempt.seed;
    }
    return best;
}

const std::vector<std::string>& compared_mappings() {
    static const std::vector<std::string> names{"placed", "block", "cyclic", "by-name"};
    return names;
}

GridPlacement compare_placements(const Network& network, const PlacementRequest& request, const PlanRequest& like) {
    const Grid& grid = request.grid;
    const Cuts cuts(network, request.slots);
    GridPlacement placement{{}, request.weights, cost_lower_bound(cuts, grid, request.weights)};
    for (Mapping mapping :
         {place_grid(network, request), block_mapping(network, grid, request.slots),
          cyclic_mapping(network, grid, request.slots), mapping_by_name(network, grid, request.slots)}) {
        const GridCost cost = cost_of(cuts, grid, mapping);
        GridPlan plan = plan_grid(network, {grid, mapping, like});
        const std::string& name = compared_mappings()[placement.mappings.size()];
        placement.mappings.push_back({name, std::move(mapping), cost, std::move(plan)});
    }
    return placement;
}

}  // namespace bcastgen
