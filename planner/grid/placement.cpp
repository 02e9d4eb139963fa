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

const std::vector<std::string>& compared_mappings() {
    static const std::vector<std::string> names{"placed", "block", "cyclic", "by-name"};
    return names;
}

Placement compare_placements(const Network& network, const Grid& grid, const Slots& slots, const PlanRequest& like,
                             std::uint64_t seed) {
    const Cuts cuts(network, slots);
    Placement placement;
    placement.bound = cost_lower_bound(cuts, grid);
    for (Mapping mapping : {place_grid(network, grid, slots, seed), block_mapping(network, grid, slots),
                            cyclic_mapping(network, grid, slots), mapping_by_name(network, grid, slots)}) {
        const GridCost cost = cost_of(cuts, grid, mapping);
        GridPlan plan = plan_grid(network, {grid, mapping, like});
        const std::string& name = compared_mappings()[placement.mappings.size()];
        placement.mappings.push_back({name, std::move(mapping), cost, std::move(plan)});
    }
    return placement;
}

}  // namespace bcastgen
