#include <string_view>

#include "planner/picture/graphviz_svg.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

/// For viewers that have a dark mode.
constexpr std::string_view dark_style = R"(
<style>
@media (prefers-color-scheme: dark) {
.graph > polygon { fill: #14181d; } text { fill: #e3e7eb; } .trunk text { fill: #9fa9b3; }
.node path, .node polygon { fill: #14181d; stroke: #e3e7eb; } .switch path, .switch polygon { fill: #39424c; }
.cluster path { fill: #1d232a; stroke: #6b7580; }
.first path, .first polygon { stroke: #5ab4e8; } .first polygon { fill: #5ab4e8; }
}
</style>)";

}  // namespace

std::string plan_svg(const Network& network, const Plan& plan) {
    std::string svg = graph_svg(plan_dot(network, plan));
    svg.insert(svg.find('>', svg.find("<svg")) + 1, dark_style);
    return svg;
}

}  // namespace bcastgen
