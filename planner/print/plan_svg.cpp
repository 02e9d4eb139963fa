#include <fmt/format.h>

#include "base/diagnostic.hpp"
#include "planner/print/graphviz_svg.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_switches_drawn = 2'000;  // about 15 s

}  // namespace

void refuse_large_drawing(const Network& network) {
    if (network.switches.size() > most_switches_drawn) {
        throw InputErrors({{"--format", 0, 0,
                            fmt::format("svg: {} has {} switches, and laying out more than {} takes minutes; --format "
                                        "dot gives the graph for a faster layout, such as sfdp",
                                        network.name, network.switches.size(), most_switches_drawn),
                            ""}});
    }
}

std::string plan_svg(const Network& network, const Plan& plan) {
    refuse_large_drawing(network);
    return graph_svg(plan_dot(network, plan), "dot");
}

}  // namespace bcastgen
