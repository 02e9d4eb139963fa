#include "cli/commands/planned_knowledge.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "planner/decision/prediction.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/price/ring_schedule.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/measure/shape.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

std::optional<TreeBound> PlannedBounds::of(const std::string& algorithm, int count) {
    const auto [found, is_new] = known_.try_emplace({algorithm, count});
    if (is_new) found->second = planned(algorithm, count);
    return found->second;
}

std::optional<TreeBound> PlannedBounds::planned(const std::string& name, int count) const {
    const std::optional<bcast::Algorithm> algorithm = algorithm_called(name);
    if (!algorithm || !bcast::uses_trees(*algorithm)) return std::nullopt;
    PlanRequest plan_request = request_of(*algorithm);
    plan_request.root = request_.root;
    plan_request.machines = near_placement(network_, request_.machines, request_.root, count).machines;
    const TreeCost cost = cost_of(make_plan(network_, plan_request));
    return TreeBound{cost.stage, cost.height, cost.share};
}

MeasureCase predicted_choice(const DecisionTable& table, int machines, std::size_t message_bytes) {
    const bcast::Choice choice =
        bcast::look_up(table.rules, {machines, 1, bcast::Arrival::balanced, message_bytes}).choice;
    return {bcast::name_of(choice.algorithm), choice.segment_bytes, message_bytes};
}

std::vector<MessageRule> predicted_above(const DecisionTable& table, int machines, std::size_t message_bytes) {
    const auto row = std::find_if(table.rules.begin(), table.rules.end(),
                                  [machines](const Rule& one) { return bcast::is_for(one, machines, 1); });
    if (row == table.rules.end()) return {};
    std::vector<MessageRule> above;
    std::copy_if(row->messages.begin(), row->messages.end(), std::back_inserter(above),
                 [message_bytes](const MessageRule& rule) { return rule.up_to > message_bytes; });
    return above;
}

CasePrices::CasePrices(const Network& network, const TuneRequest& request, MessageCosts costs)
    : network_(network), request_(request), costs_(std::move(costs)), carries_all_(carries_all(network)) {}

bool CasePrices::has_price(int count, const MeasureCase& one) const {
    constexpr int most_machines = 128;
    constexpr double most_ring_pieces = 2e5;
    if (count > most_machines) return false;
    if (is_native(one.algorithm)) return true;
    const std::optional<bcast::Algorithm> algorithm = algorithm_called(one.algorithm);
    if (!algorithm || !Prices::has_price(*algorithm)) return false;
    if (bcast::scatters(*algorithm)) {
        return ring_pieces(count, one.message_bytes, one.segment_bytes) <= most_ring_pieces;
    }
    return carries_all_ || !bcast::has(*algorithm, bcast::trait::full_bisection);
}

Prices& CasePrices::among(int count) {
    std::unique_ptr<Prices>& prices = known_[count];
    if (!prices) {
        const std::vector<int> machines = near_placement(network_, request_.machines, request_.root, count).machines;
        prices = std::make_unique<Prices>(network_, machines, request_.root, costs_);
    }
    return *prices;
}

std::optional<double> CasePrices::of_us(int count, const MeasureCase& one, RuleBegin above) {
    if (!has_price(count, one)) return std::nullopt;
    Prices& prices = among(count);
    return 1e6 * (is_native(one.algorithm)
                      ? prices.native_s(one.message_bytes)
                      : prices.quick_s(*algorithm_called(one.algorithm), one.message_bytes, one.segment_bytes, above));
}

bool CasePrices::may_join(int count, const MessageRule& rule, std::size_t own_above, std::size_t above) {
    if (!has_price(count, {name_of(rule), rule.segment_bytes, rule.up_to})) return true;
    return begins_as_well_at(among(count), rule, own_above, above);
}

}  // namespace bcastgen
