#include "planner/decision/explanation.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/price/floor.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

namespace {

Plan plan_of(const Network& network, const AskedBroadcast& asked, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = asked.plan.root;
    request.machines = asked.plan.machines;
    return make_plan(network, request);
}

/// Once through every link, the slowest port's time counting, if no datagram gets lost.
Price multicast_price(const Network& network, const AskedBroadcast& asked, double once_s) {
    double slowest_s = 0;
    double fastest_s = std::numeric_limits<double>::infinity();
    for (const int machine : asked.plan.machines) {
        const LinkSpeed& port = network.machines[static_cast<std::size_t>(machine)].port;
        const double wire_s = static_cast<double>(asked.bytes) / port.bandwidth_Bps;
        slowest_s = std::max(slowest_s, wire_s);
        fastest_s = std::min(fastest_s, wire_s);
    }
    return {bcast::usual::datagrams, 0, once_s + slowest_s - fastest_s};
}

/// Larger messages take as many times as long as they are larger than this: their streams only go on.
constexpr std::size_t most_priced_bytes = std::size_t{1} << 28;

void lengthen(Price& price, double times) {
    price.time_s *= times;
    price.steady_s *= times;
    price.latency_s *= times;
    price.software_s *= times;
}

/// A price is the schedule's; that transmissions meet is the proof's to say.
Price told_by(const Plan& plan, Price price) {
    price.lower_bound = !plan.contention_free;
    return price;
}

std::vector<Price> other_prices(const Network& network, const AskedBroadcast& asked, Prices& prices,
                                bcast::Algorithm chosen) {
    std::vector<Price> others;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (row.algorithm == chosen || !Prices::has_price(row.algorithm)) continue;
        others.push_back(told_by(plan_of(network, asked, row.algorithm), prices.best(row.algorithm, asked.bytes)));
    }
    std::stable_sort(others.begin(), others.end(), [](const Price& a, const Price& b) { return a.time_s < b.time_s; });
    return others;
}

}  // namespace

std::optional<double> Explanation::simulated_s(const bcast::Choice& choice) const {
    for (const Simulated& one : simulated) {
        if (one.choice.algorithm == choice.algorithm && one.choice.segment_bytes == choice.segment_bytes) {
            return one.time_s;
        }
    }
    return {};
}

bcast::Answer<Rule> answer_to(const Network& network, const DecisionTable& table, const AskedBroadcast& asked) {
    return bcast::look_up(table.rules, {static_cast<int>(asked.plan.machines.size()), asked.ranks_per_machine,
                                        asked.arrival, asked.bytes, network.multicast.has_value()});
}

Explanation explain(const Network& network, const DecisionTable& table, const AskedBroadcast& asked,
                    const MessageCosts& costs) {
    PlanRequest in_order = asked.plan;
    in_order.tree = bcast::usual::chain;
    const Plan linear = make_plan(network, in_order);
    Explanation found;
    found.asked = asked;
    found.asked.plan = linear.request;
    const std::vector<int>& machines = linear.request.machines;
    found.answer = answer_to(network, table, found.asked);
    const bcast::Choice& choice = found.answer.choice;
    if (machines.size() < 2) {
        if (found.asked.ranks_per_machine < 2) found.answer = {};
        return found;
    }
    if (bcast::is_native(choice.algorithm) && found.answer.reason != bcast::Reason::rule) return found;
    Prices prices(network, machines, linear.request.root, costs);
    AskedBroadcast priced = found.asked;
    priced.bytes = std::min(asked.bytes, most_priced_bytes);
    found.once_s = prices.once_s(priced.bytes);
    found.floor_s = floor_s(network, costs, machines, linear.request.root, asked.bytes);
    if (bcast::is_multicast(choice.algorithm)) found.predicted = multicast_price(network, priced, found.once_s);
    if (bcast::has_plan(choice.algorithm)) {
        found.plan = plan_of(network, priced, choice.algorithm);
        if (Prices::has_price(choice.algorithm)) {
            found.predicted = told_by(
                *found.plan, prices.price(choice.algorithm, priced.bytes, choice.segment_bytes, choice.above_bytes));
        }
    }
    found.others = other_prices(network, priced, prices, choice.algorithm);
    if (asked.bytes > priced.bytes) {
        const double times = static_cast<double>(asked.bytes) / static_cast<double>(priced.bytes);
        found.once_s *= times;
        if (found.predicted) lengthen(*found.predicted, times);
        for (Price& other : found.others) lengthen(other, times);
    }
    return found;
}

}  // namespace bcastgen
