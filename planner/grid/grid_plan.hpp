// Broadcasts side by side: what the rows of a grid load together when each of them broadcasts, and what the columns do.
//
// Each row's broadcast is planned as for a communicator of its own: contention-free by itself. Together they meet on
// trunks, and there their loads add up.
#pragma once

#include <optional>
#include <vector>

#include "planner/grid/grid.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

struct GridRequest {
    Grid grid;
    Mapping mapping;
    PlanRequest plan;  ///< tree, radix and builder; its root and machines are not used
    /// The position in each row, and in each column, that broadcasts: what is beyond the line's end begins anew. Unless
    /// given, each position has its turn, and the worst counts, link by link.
    std::optional<int> root_position{};
};

/// All rows' broadcasts at the same time, or all columns'.
struct SharedLoads {
    int broadcasts = 0;          ///< at the same time
    int across_machines = 0;     ///< of these, those to ranks on more than one machine
    std::vector<double> loads;   ///< by LinkId: the sum over the broadcasts, at the root position where it is largest
    std::vector<int> shared_by;  ///< by LinkId: broadcasts that cross the link, at the root position where it is most
    double stage = 0;            ///< of the loads together, in T(m)
    int worst_root = 0;          ///< the first root position with that stage
    double stage_alone = 0;      ///< of the worst of the broadcasts, were it alone

    /// By how much a broadcast is slower for the others beside it.
    [[nodiscard]] double factor() const { return stage_alone > 0 ? stage / stage_alone : 1; }
};

struct GridPlan {
    GridRequest request;
    SharedLoads rows;
    SharedLoads columns;
};

/// Plans every row's and every column's broadcast from each root position. Throws as make_plan does, and
/// std::invalid_argument for a mapping of another size than the grid's.
[[nodiscard]] GridPlan plan_grid(const Network& network, const GridRequest& request, const Routes* routes = nullptr);

}  // namespace bcastgen
