#include <algorithm>
#include <cstddef>

#include "planner/print/check_formats.hpp"

namespace bcastgen {

std::vector<RouteCheck> check_routes(const Network& network, const Routes& routes) {
    std::vector<RouteCheck> checks;
    for (const TreeKind tree : {TreeKind::linear, TreeKind::binary, TreeKind::two_tree}) {
        PlanRequest request;
        request.tree = tree;
        const Plan plan = make_plan(network, request, &routes);
        RouteCheck check{tree, 0, plan.stage, plan.contention_free};
        for (auto link = 2 * network.machines.size(); link < plan.loads.size(); ++link) {
            check.heaviest = std::max(check.heaviest, plan.loads[link]);
        }
        checks.push_back(check);
    }
    return checks;
}

}  // namespace bcastgen
