#include "planner/plan/algorithm_plan.hpp"

#include <stdexcept>
#include <string>

namespace bcastgen {

PlanRequest request_of(bcast::Algorithm algorithm) {
    PlanRequest request;
    switch (algorithm) {
        case bcast::Algorithm::flat:
            request.tree = TreeKind::flat;
            break;
        case bcast::Algorithm::binomial:
            request.tree = TreeKind::binomial;
            break;
        case bcast::Algorithm::linear:
            request.tree = TreeKind::linear;
            break;
        case bcast::Algorithm::binary:
            request.tree = TreeKind::binary;
            break;
        case bcast::Algorithm::kary3:
            request.tree = TreeKind::kary;
            request.radix = 3;
            break;
        case bcast::Algorithm::two_tree:
            request.tree = TreeKind::two_tree;
            break;
        case bcast::Algorithm::latency:
            request.tree = TreeKind::latency;
            break;
        case bcast::Algorithm::native:
        case bcast::Algorithm::scatter_ring:
        case bcast::Algorithm::scatter_ring_tuned:
        case bcast::Algorithm::arrival_b:
        case bcast::Algorithm::arrival_nb:
        case bcast::Algorithm::arrival_live:
        case bcast::Algorithm::multicast:
            throw std::logic_error(std::string(bcast::name_of(algorithm)) + " has no tree");
    }
    return request;
}

}  // namespace bcastgen
