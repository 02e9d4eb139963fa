#include "planner/grid/placement.hpp"

#include <utility>

#include "planner/grid/exchanges.hpp"
#include "planner/grid/tiles.hpp"

namespace bcastgen {

Mapping place_grid(const Network& network, const Grid& grid, const Slots& slots, std::uint64_t seed) {
    const Cuts cuts(network, slots);
    Mapping best = best_tiles(network, cuts, grid, slots, seed);
    for (Mapping usual : {cyclic_mapping(network, grid, slots), mapping_by_name(network, grid, slots)}) {
        if (cost_of(cuts, grid, usual).sum() < cost_of(cuts, grid, best).sum()) best = std::move(usual);
    }
    const double enough = cost_lower_bound(cuts, grid).sum();
    constexpr std::uint64_t attempts = 3;
    for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
        best = improve_by_exchanges(cuts, grid, slots, std::move(best), enough, seed + attempt);
    }
    return best;
}

Placement compare_placements(const Network& network, const Grid& grid, const Slots& slots, const PlanRequest& like,
                             std::uint64_t seed) {
    const Cuts cuts(network, slots);
    Placement placement;
    placement.bound = cost_lower_bound(cuts, grid);
    const auto add = [&](const char* name, Mapping mapping) {
        const GridCost cost = cost_of(cuts, grid, mapping);
        GridPlan plan = plan_grid(network, {grid, mapping, like});
        placement.mappings.push_back({name, std::move(mapping), cost, std::move(plan)});
    };
    add("placed", place_grid(network, grid, slots, seed));
    add("block", block_mapping(network, grid, slots));
    add("cyclic", cyclic_mapping(network, grid, slots));
    add("by name", mapping_by_name(network, grid, slots));
    return placement;
}

}  // namespace bcastgen
