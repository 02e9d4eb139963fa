#include "default_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "plan.hpp"
#include "site_plan.hpp"

namespace bcastgen {

namespace {

constexpr std::array<std::size_t, 8> segment_sizes = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
// Each message size stands for those up to it; the last for everything larger.
constexpr std::array<std::size_t, 9> message_sizes = {1024,    4096,    16384,    65536,   262144,
                                                      1048576, 4194304, 16777216, 67108864};

struct Candidate {
    bcast::Algorithm algorithm;
    TreeCost cost;
};

/// What sending between neighbours of the order costs besides bandwidth: the mean latency of their paths, plus
/// overhead.
double startup_s(const Network& network, const Plan& linear) {
    double total_s = 0;
    for (int link = 0; link < link_count(network); ++link) {
        total_s += linear.loads[static_cast<std::size_t>(link)] * link_latency_s(network, link);
    }
    return software_overhead_s + total_s / std::max(1, linear.order.size() - 1);
}

Plan plan_of(const Network& network, const std::vector<int>& machines, TreeKind tree, int radix) {
    PlanRequest request;
    request.tree = tree;
    request.radix = radix;
    request.root = machines.front();
    request.machines = machines;
    return make_plan(network, request);
}

TreeCost cost_of(const Plan& plan) {
    const bcast::Tree& tree = plan.trees.front().tree;
    return {height(tree), fanout(tree), plan.stage};
}

std::vector<MessageRule> rules_for(const Network& network, const std::vector<int>& machines) {
    const Plan linear = plan_of(network, machines, TreeKind::linear, 1);
    const std::array candidates = {
        Candidate{bcast::Algorithm::linear, cost_of(linear)},
        Candidate{bcast::Algorithm::binary, cost_of(plan_of(network, machines, TreeKind::binary, 2))},
        Candidate{bcast::Algorithm::kary3, cost_of(plan_of(network, machines, TreeKind::kary, 3))}};
    const double startup = startup_s(network, linear);
    double bandwidth_Bps = 0;
    for (int machine : machines) {
        bandwidth_Bps = std::max(bandwidth_Bps, network.machines[static_cast<std::size_t>(machine)].port.bandwidth_Bps);
    }
    const double phases = std::ceil(std::log2(static_cast<double>(machines.size())));

    std::vector<MessageRule> messages;
    for (const std::size_t bytes : message_sizes) {
        MessageRule best{bytes, bcast::Algorithm::native, 0};
        double best_s = phases * (startup + static_cast<double>(bytes) / bandwidth_Bps);
        for (const Candidate& candidate : candidates) {
            for (const std::size_t segment : segment_sizes) {
                if (segment >= bytes) continue;
                const double time_s = pipelined_time_s(candidate.cost, startup, bandwidth_Bps, bytes, segment);
                if (time_s < best_s) {
                    best_s = time_s;
                    best = {bytes, candidate.algorithm, segment};
                }
            }
        }
        messages.push_back(best);
    }
    messages.back().up_to = bcast::no_limit;
    return merged(messages);
}

}  // namespace

double pipelined_time_s(const TreeCost& tree, double startup_s, double bandwidth_Bps, std::size_t message_bytes,
                        std::size_t segment_bytes) {
    const std::size_t segment = segment_bytes == 0 ? std::max<std::size_t>(message_bytes, 1) : segment_bytes;
    const double segments = std::max(1.0, std::ceil(static_cast<double>(message_bytes) / static_cast<double>(segment)));
    const double stage_s = tree.fanout * startup_s + tree.stage * static_cast<double>(segment) / bandwidth_Bps;
    return (segments + tree.height - 1) * stage_s;
}

DecisionTable default_table(const Network& network) {
    DecisionTable table;
    table.origin = "predicted from the plan and the link parameters; not measured";
    const std::vector<int> order = make_site_plan(network).machines;
    const auto machines = static_cast<int>(order.size());
    for (int from = 2, to = 2; from <= machines; from = to + 1, to *= 2) {
        TableRule rule;
        rule.machines_from = from;
        const bool last = to >= machines;
        rule.machines_to = last ? bcast::any_number : to;
        const std::vector<int> first(order.begin(), order.begin() + std::min(to, machines));
        rule.messages = rules_for(network, first);
        table.rules.push_back(std::move(rule));
        if (last) break;
    }
    return table;
}

}  // namespace bcastgen
