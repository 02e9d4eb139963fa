#include <algorithm>
#include <cstddef>

#include "planner/print/check_formats.hpp"

namespace bcastgen {

std::vector<RouteCheck> check_routes(const Network& network, const Routes& routes) {
    std::vector<RouteCheck> checks;
    constexpr int most_children = 2;  // of wider trees it is known that they load links more
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!bcast::is_predicted(row.algorithm) || row.children > most_children) continue;
        const Plan plan = make_plan(network, request_of(row.algorithm), &routes);
        RouteCheck check{row.algorithm, 0, plan.stage, plan.contention_free};
        for (auto link = 2 * network.machines.size(); link < plan.loads.size(); ++link) {
            check.heaviest = std::max(check.heaviest, plan.loads[link]);
        }
        checks.push_back(check);
    }
    return checks;
}

}  // namespace bcastgen
