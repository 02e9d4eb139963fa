#include "planner/decision/explanation.hpp"

#include <algorithm>
#include <utility>

#include "planner/decision/prediction.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

namespace {

/// What predictions for a broadcast rest on.
struct Case {
    const Network& network;
    const AskedBroadcast& asked;
    StartUp start_up;
    double bandwidth_Bps;  ///< of the fastest port
};

Plan plan_of(const Case& one, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = one.asked.plan.root;
    request.machines = one.asked.plan.machines;
    return make_plan(one.network, request);
}

double sent_s(const Case& one, double bandwidth_Bps) {
    return one.start_up.overhead_s + one.start_up.latency_s + static_cast<double>(one.asked.bytes) / bandwidth_Bps;
}

/// Once through every link, the slowest port's time counting, if no datagram gets lost.
double multicast_s(const Case& one) {
    double slowest_Bps = one.bandwidth_Bps;
    for (const int machine : one.asked.plan.machines) {
        const LinkSpeed& port = one.network.machines[static_cast<std::size_t>(machine)].port;
        slowest_Bps = std::min(slowest_Bps, port.bandwidth_Bps);
    }
    return sent_s(one, slowest_Bps);
}

double planned_s(const Case& one, const Plan& plan, std::size_t segment_bytes) {
    if (segment_bytes == 0 && plan.trees.size() == 1) {
        return whole_time_s(whole_tree(one.network, plan), one.start_up.overhead_s + one.start_up.latency_s,
                            one.asked.bytes);
    }
    return pipelined_time_s(cost_of(plan), one.start_up, one.bandwidth_Bps, one.asked.bytes, segment_bytes);
}

std::vector<PredictedTime> other_times(const Case& one, bcast::Algorithm chosen) {
    constexpr std::size_t segment_bytes = 8192;
    std::vector<bcast::Choice> others{{bcast::usual::whole_messages, 0}};
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::is_predicted(row.algorithm)) others.push_back({row.algorithm, segment_bytes});
    }
    std::vector<PredictedTime> times;
    for (const auto& [algorithm, segment] : others) {
        if (algorithm == chosen) continue;
        const std::size_t bytes = segment < one.asked.bytes ? segment : 0;
        times.push_back({{algorithm, bytes}, planned_s(one, plan_of(one, algorithm), bytes)});
    }
    std::stable_sort(times.begin(), times.end(),
                     [](const PredictedTime& a, const PredictedTime& b) { return a.time_s < b.time_s; });
    return times;
}

}  // namespace

Explanation explain(const Network& network, const DecisionTable& table, const AskedBroadcast& asked) {
    PlanRequest in_order = asked.plan;
    in_order.tree = bcast::usual::chain;
    const Plan linear = make_plan(network, in_order);
    Explanation found;
    found.asked = asked;
    found.asked.plan = linear.request;
    const std::vector<int>& machines = linear.request.machines;
    found.answer = bcast::look_up(table.rules, {static_cast<int>(machines.size()), asked.ranks_per_machine,
                                                asked.arrival, asked.bytes, network.multicast.has_value()});
    const bcast::Choice& choice = found.answer.choice;
    const bool one_machine = machines.size() < 2;
    if (bcast::is_native(choice.algorithm) && (found.answer.reason != bcast::Reason::rule || one_machine)) {
        return found;
    }
    const Case one{network, found.asked, start_up_of(network, linear), reference_bandwidth_Bps(network, machines)};
    found.once_s = sent_s(one, one.bandwidth_Bps);
    if (bcast::is_multicast(choice.algorithm)) found.predicted_s = multicast_s(one);
    if (bcast::uses_trees(choice.algorithm)) {
        found.plan = plan_of(one, choice.algorithm);
        found.predicted_s = planned_s(one, *found.plan, choice.segment_bytes);
    }
    found.others = other_times(one, choice.algorithm);
    return found;
}

}  // namespace bcastgen
