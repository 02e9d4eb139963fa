#include <graphviz/gvc.h>

#include <memory>
#include <stdexcept>

#include "plan_formats.hpp"

namespace bcastgen {

std::string plan_svg(const Network& network, const Plan& plan) {
    const std::string dot = plan_dot(network, plan);
    const std::unique_ptr<GVC_t, int (*)(GVC_t*)> context(gvContext(), gvFreeContext);
    const std::unique_ptr<Agraph_t, int (*)(Agraph_t*)> graph(agmemread(dot.c_str()), agclose);
    if (!context || !graph) throw std::runtime_error("Graphviz cannot read the plan's picture");
    if (gvLayout(context.get(), graph.get(), "dot") != 0) throw std::runtime_error("Graphviz cannot lay the plan out");
    char* data = nullptr;
    unsigned length = 0;
    const int failed = gvRenderData(context.get(), graph.get(), "svg", &data, &length);
    gvFreeLayout(context.get(), graph.get());
    if (failed != 0) throw std::runtime_error("Graphviz cannot draw the plan");
    std::string svg(data, length);
    gvFreeRenderData(data);
    return svg;
}

}  // namespace bcastgen
