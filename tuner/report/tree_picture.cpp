#include "tuner/report/tree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/index.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "planner/picture/graphviz_svg.hpp"
#include "planner/print/plan_formats.hpp"
#include "planner/print/proof_scope.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

/// "One switch, s0, with a cable of 100Mbit/s to each machine. "
std::string one_switch_text(const Network& network, const Plan& plan) {
    double slowest_Bps = std::numeric_limits<double>::max();
    double fastest_Bps = 0;
    for (const int machine : plan.order.machines) {
        const double port_Bps = network.machines[at(machine)].port.bandwidth_Bps;
        slowest_Bps = std::min(slowest_Bps, port_Bps);
        fastest_Bps = std::max(fastest_Bps, port_Bps);
    }
    std::string speed = format_bandwidth(fastest_Bps);
    if (slowest_Bps < fastest_Bps) speed = format_bandwidth(slowest_Bps) + " to " + speed;
    return fmt::format("One switch, {}, with a cable of {} to each machine. ", network.switches.front().name, speed);
}

std::string caption_of(const Network& network, const Plan& plan) {
    int tallest = 0;
    int widest = 0;
    for (const ShareTree& tree : plan.trees) {
        tallest = std::max(tallest, height_of(tree.tree));
        widest = std::max(widest, fanout(tree.tree));
    }
    std::string text =
        fmt::format("{} from {} (thick): height {}, fan-out {}, stage {:.4g}, {}{}. ",
                    counted(plan.order.size(), "machine", "machines"), network.machines[at(plan.request.root)].name,
                    tallest, widest, plan.stage, plan.contention_free ? "contention-free" : "not contention-free",
                    plan.contention_free ? proof_scope(network) : "");
    if (bcast::goes_in_rounds(plan.request.tree)) {
        text += fmt::format("Blue: how every {}. block goes; in each round every machine sends one and receives one. ",
                            plan.trees.size());
    } else if (plan.trees.size() > 1) {
        text += "Each tree carries a half of the message: blue the first, orange, dashed the second. ";
    } else if (bcast::scatters(plan.request.tree)) {
        text += "Blue: the scatter; then the blocks go round the ring of all machines in their order. ";
    } else {
        text += "Blue: who sends to whom. ";
    }
    if (network.trunks.empty()) return text + one_switch_text(network, plan);
    return text + "Grey: trunks, with the load that the plan puts on them away from the root and back. ";
}

}  // namespace

std::optional<PlanRequest> tree_of(const std::string& algorithm) {
    const std::optional<bcast::Algorithm> known = algorithm_called(algorithm);
    if (!known) return std::nullopt;
    if (bcast::is_arrival_aware(*known)) return request_of(bcast::usual::chain);
    if (!bcast::has_plan(*known)) return std::nullopt;
    return request_of(*known);
}

TreePicture tree_picture(const Network& network, const Plan& plan) {
    TreePicture picture;
    picture.caption = caption_of(network, plan);
    for (const std::string& dot : plan_dots(network, plan)) picture.svgs.push_back(graph_svg(dot));
    return picture;
}

}  // namespace bcastgen
