#include "default_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "load.hpp"
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

/// Bytes per second on the narrowest link between two machines.
double narrowest_Bps(const Network& network, const Paths& paths, int from, int to) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (LinkId link : paths.between(from, to)) narrowest = std::min(narrowest, link_bandwidth_Bps(network, link));
    return narrowest;
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

/// The candidate and segment size with the least predicted time, or native where that is predicted to be no slower.
MessageRule best_rule(const std::vector<Candidate>& candidates, const WholeTree& native, double startup,
                      double bandwidth_Bps, std::size_t bytes, std::size_t smallest_bytes) {
    MessageRule best{bytes, bcast::Algorithm::native, 0};
    double best_s = whole_time_s(native, startup, bytes);
    for (const Candidate& candidate : candidates) {
        for (const std::size_t segment : segment_sizes) {
            if (segment > smallest_bytes) continue;
            const double time_s = pipelined_time_s(candidate.cost, startup, bandwidth_Bps, bytes, segment);
            if (time_s < best_s) {
                best_s = time_s;
                best = {bytes, candidate.algorithm, segment};
            }
        }
    }
    return best;
}

std::vector<MessageRule> rules_for(const Network& network, const std::vector<int>& machines) {
    const Plan linear = plan_of(network, machines, TreeKind::linear, 1);
    const std::vector<Candidate> candidates = {
        {bcast::Algorithm::linear, cost_of(linear)},
        {bcast::Algorithm::binary, cost_of(plan_of(network, machines, TreeKind::binary, 2))},
        {bcast::Algorithm::kary3, cost_of(plan_of(network, machines, TreeKind::kary, 3))}};
    const WholeTree native = whole_tree(network, plan_of(network, machines, TreeKind::binomial, 2));
    const double startup = startup_s(network, linear);
    std::vector<MessageRule> messages;
    std::size_t smaller_bytes = 0;  // what the message size before stands for
    for (const std::size_t bytes : message_sizes) {
        messages.push_back(
            best_rule(candidates, native, startup, reference_bandwidth_Bps(network), bytes, smaller_bytes + 1));
        smaller_bytes = bytes;
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

WholeTree whole_tree(const Network& network, const Plan& plan) {
    const Paths paths(network);
    WholeTree whole{plan.trees.front().tree, {}};
    for (std::size_t position = 0; position < plan.order.machines.size(); ++position) {
        const int parent = whole.tree.parent[position];
        whole.seconds_per_byte.push_back(
            parent < 0 ? 0.0
                       : 1 / narrowest_Bps(network, paths, plan.order.machines[static_cast<std::size_t>(parent)],
                                           plan.order.machines[position]));
    }
    return whole;
}

double whole_time_s(const WholeTree& whole, double startup_s, std::size_t message_bytes) {
    std::vector<double> arrival_s(whole.seconds_per_byte.size(), 0);
    std::vector<int> to_visit{0};
    double last_s = 0;
    while (!to_visit.empty()) {
        const auto position = static_cast<std::size_t>(to_visit.back());
        to_visit.pop_back();
        double free_s = arrival_s[position];
        last_s = std::max(last_s, free_s);
        for (int child : whole.tree.children[position]) {
            const auto at = static_cast<std::size_t>(child);
            free_s += startup_s + static_cast<double>(message_bytes) * whole.seconds_per_byte[at];
            arrival_s[at] = free_s;
            to_visit.push_back(child);
        }
    }
    return last_s;
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
    if (machines < 2) {  // nothing to plan, yet a table has a row
        table.rules.push_back({1, bcast::any_number, 1, bcast::any_number, bcast::Arrival::balanced, {MessageRule{}}});
    }
    return table;
}

}  // namespace bcastgen
