#include "planner/decision/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "planner/network/paths.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

namespace {

constexpr std::array<std::size_t, 7> segment_sizes = {4096, 8192, 16384, 32768, 65536, 131072, 262144};
// Each message size stands for those up to it; the last for everything larger.
constexpr std::array<std::size_t, 10> message_sizes = {512,    4096,    8192,    16384,    65536,
                                                       262144, 1048576, 4194304, 16777216, 67108864};
// A segment size is as good as another if it is predicted to be so little slower. Then the usual one, which has done
// well on most networks measured, and else the smallest is chosen: predictions do not know that small segments cost
// packets and that MPIs send large ones only once the receiver is ready.
constexpr double nearly_as_good = 1.15;
constexpr std::size_t usual_segment_bytes = 8192;
// Up to so many bytes messages that meet on a trunk hardly delay each other.
constexpr std::size_t small_message_bytes = 512;

struct Candidate {
    bcast::Algorithm algorithm;
    TreeCost cost;
};

/// Bytes per second on the narrowest link between two machines.
double narrowest_Bps(const Network& network, const Paths& paths, int from, int to) {
    double narrowest = std::numeric_limits<double>::infinity();
    for (LinkId link : paths.between(from, to)) narrowest = std::min(narrowest, link_bandwidth_Bps(network, link));
    return narrowest;
}

Plan plan_of(const Network& network, const std::vector<int>& machines, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = machines.front();
    request.machines = machines;
    return make_plan(network, request);
}

/// What the predictions for a set of machines rest on.
struct Prediction {
    std::vector<Candidate> candidates;
    WholeTree binomial;
    StartUp start_up;
    double bandwidth_Bps = 0;
    bool trunks = false;  ///< between the machines
};

/// The segment size of choice for a candidate, with its predicted time. 0: none is small enough.
std::pair<std::size_t, double> best_segment(const Prediction& of, const Candidate& candidate, std::size_t bytes,
                                            std::size_t smallest_bytes) {
    std::vector<std::pair<std::size_t, double>> times;
    for (const std::size_t segment : segment_sizes) {
        if (segment > smallest_bytes) continue;
        times.emplace_back(segment, pipelined_time_s(candidate.cost, of.start_up, of.bandwidth_Bps, bytes, segment));
    }
    double best_s = std::numeric_limits<double>::infinity();
    for (const auto& [segment, time_s] : times) best_s = std::min(best_s, time_s);
    std::pair<std::size_t, double> choice{0, best_s};
    for (const auto& [segment, time_s] : times) {
        const bool better_known = choice.first == 0 || segment == usual_segment_bytes;
        if (better_known && time_s <= nearly_as_good * best_s) choice = {segment, time_s};
    }
    return choice;
}

/// The candidate with the least predicted time, or a binomial tree in one piece where that is no slower.
MessageRule best_rule(const Prediction& of, std::size_t bytes, std::size_t smallest_bytes) {
    MessageRule best{bytes, bcast::usual::no_rule, 0};
    if (of.trunks && bytes > small_message_bytes) best.algorithm = bcast::usual::whole_messages;
    const StartUp& start_up = of.start_up;
    double best_s = whole_time_s(of.binomial, start_up.overhead_s + start_up.latency_s, bytes);
    for (const Candidate& candidate : of.candidates) {
        const auto [segment, time_s] = best_segment(of, candidate, bytes, smallest_bytes);
        if (time_s < best_s) {
            best_s = time_s;
            best = {bytes, candidate.algorithm, segment};
        }
    }
    return best;
}

bool on_one_switch(const Network& network, const std::vector<int>& machines) {
    return std::all_of(machines.begin(), machines.end(), [&](int machine) {
        return network.machines[static_cast<std::size_t>(machine)].sw ==
               network.machines[static_cast<std::size_t>(machines.front())].sw;
    });
}

std::vector<MessageRule> rules_for(const Network& network, const std::vector<int>& machines) {
    Prediction prediction;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!bcast::is_predicted(row.algorithm)) continue;
        prediction.candidates.push_back({row.algorithm, cost_of(plan_of(network, machines, row.algorithm))});
    }
    prediction.binomial = whole_tree(network, plan_of(network, machines, bcast::usual::whole_messages));
    prediction.start_up = start_up_of(network, plan_of(network, machines, bcast::usual::chain));
    prediction.bandwidth_Bps = reference_bandwidth_Bps(network, machines);
    prediction.trunks = !on_one_switch(network, machines);
    std::vector<MessageRule> messages;
    std::size_t smaller_bytes = 0;  // what the message size before stands for
    for (const std::size_t bytes : message_sizes) {
        messages.push_back(best_rule(prediction, bytes, smaller_bytes + 1));
        smaller_bytes = bytes;
    }
    messages.back().up_to = bcast::no_limit;
    return merged(messages);
}

}  // namespace

StartUp start_up_of(const Network& network, const Plan& linear) {
    double total_s = 0;
    for (int link = 0; link < link_count(network); ++link) {
        total_s += linear.loads[static_cast<std::size_t>(link)] * link_latency_s(network, link);
    }
    return {software_overhead_s + segment_envelope_bytes / reference_bandwidth_Bps(network, linear.order.machines),
            total_s / std::max(1, linear.order.size() - 1)};
}

TreeCost cost_of(const Plan& plan) {
    TreeCost cost{0, 0, plan.stage, plan.trees.front().share};
    for (int position = 0; position < plan.order.size(); ++position) {
        std::size_t children = 0;
        for (const ShareTree& tree : plan.trees) {
            children += tree.tree.children[static_cast<std::size_t>(position)].size();
        }
        cost.fanout = std::max(cost.fanout, static_cast<int>(children));
    }
    for (const ShareTree& tree : plan.trees) cost.height = std::max(cost.height, height_of(tree.tree));
    return cost;
}

double pipelined_time_s(const TreeCost& tree, const StartUp& start_up, double bandwidth_Bps, std::size_t message_bytes,
                        std::size_t segment_bytes) {
    const double part_bytes = std::max(1.0, static_cast<double>(message_bytes) * tree.share);
    const double segment = segment_bytes == 0 ? part_bytes : static_cast<double>(segment_bytes);
    const double segments = std::ceil(part_bytes / segment);
    const double stage_s =
        tree.fanout * start_up.overhead_s + start_up.latency_s + tree.stage * segment / (tree.share * bandwidth_Bps);
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

DecisionTable default_table(const Network& network, const SitePlan& site) {
    DecisionTable table;
    table.sends = usual_sends(network);
    table.origin = "predicted from the plan and the link parameters; not measured";
    const std::vector<int>& order = site.machines;
    const auto machines = static_cast<int>(order.size());
    for (int from = 2, to = 2; from <= machines; from = to + 1, to *= 2) {
        Rule rule;
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
