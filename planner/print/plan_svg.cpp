#include "planner/picture/graphviz_svg.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

std::string plan_svg(const Network& network, const Plan& plan) {
    return graph_svg(plan_dot(network, plan));
}

}  // namespace bcastgen
