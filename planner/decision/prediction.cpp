#include "planner/decision/prediction.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/plan/plan.hpp"
#include "planner/price/price.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t smallest_bytes = 64;
constexpr std::size_t largest_bytes = std::size_t{64} << 20;
// What ours must be predicted to take of native's time: prices are off by a few percent (docs/predictions.md).
constexpr double sure_to_win = 0.95;
// Of those that are so near the best, the longest segments: fewer messages leave less to chance.
constexpr double nearly_as_good = 1.02;

struct Choice {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    std::size_t segment_bytes = 0;
    bool operator==(const Choice&) const = default;
};

bool may_be_chosen(bcast::Algorithm algorithm) {
    return Prices::has_price(algorithm) && !bcast::has(algorithm, bcast::trait::only_if_asked);
}

double price_s(Prices& prices, const Choice& choice, std::size_t bytes) {
    return bcast::is_native(choice.algorithm) ? prices.native_s(bytes)
                                              : prices.quick_s(choice.algorithm, bytes, choice.segment_bytes);
}

/// The quickest of ours for a message, in one piece or in segments of at most `most_bytes`.
std::pair<Choice, double> quickest(Prices& prices, std::size_t bytes, std::size_t most_bytes) {
    std::vector<std::pair<Choice, double>> priced;
    double best_s = std::numeric_limits<double>::infinity();
    const auto consider = [&](const Choice& choice) {
        priced.emplace_back(choice, price_s(prices, choice, bytes));
        best_s = std::min(best_s, priced.back().second);
    };
    std::vector<std::pair<double, Choice>> segmented;  // by what they take at least
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!may_be_chosen(row.algorithm)) continue;
        if (!bcast::pipelines(row.algorithm)) consider({row.algorithm, 0});
        for (const std::size_t segment : Prices::segment_sizes_for(row.algorithm, bytes)) {
            if (segment > most_bytes) continue;
            segmented.push_back({prices.at_least_s(row.algorithm, bytes, segment), {row.algorithm, segment}});
        }
    }
    std::stable_sort(segmented.begin(), segmented.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [least_s, choice] : segmented) {
        if (least_s >= nearly_as_good * best_s) break;
        consider(choice);
    }
    std::pair<Choice, double> best{{}, best_s};
    std::size_t longest = 0;  // in one piece: as long as the message
    for (const auto& [choice, time_s] : priced) {
        const std::size_t segment = choice.segment_bytes == 0 ? bytes : choice.segment_bytes;
        if (time_s > nearly_as_good * best_s || segment < longest) continue;
        if (segment == longest && time_s >= best.second) continue;
        best = {choice, time_s};
        longest = segment;
    }
    return best;
}

/// The rule for messages of more than `above` and up to `bytes`: of what is quickest at either end, what loses least at
/// the other.
MessageRule best_rule(Prices& prices, std::size_t above, std::size_t bytes) {
    const std::size_t ends[] = {above + 1, bytes};
    const std::pair<Choice, double> quickest_at[] = {quickest(prices, ends[0], above + 1),
                                                     quickest(prices, ends[1], above + 1)};
    const double native_s[] = {prices.native_s(ends[0]), prices.native_s(ends[1])};
    Choice chosen;
    double least_loss = std::numeric_limits<double>::infinity();
    for (const auto& [choice, unused] : quickest_at) {
        double loss = 0;
        bool wins = true;
        for (const std::size_t end : {0U, 1U}) {
            const double time_s = price_s(prices, choice, ends[end]);
            loss = std::max(loss, time_s / quickest_at[end].second);
            wins = wins && time_s <= sure_to_win * native_s[end];
        }
        if (wins && loss < least_loss) {
            chosen = choice;
            least_loss = loss;
        }
    }
    return {bytes, chosen.algorithm, chosen.segment_bytes};
}

std::vector<MessageRule> rules_for(const Network& network, const std::vector<int>& machines) {
    if (machines.size() <= 2) return {MessageRule{}};  // one message, which the MPI sends as well
    Prices prices(network, machines, machines.front(), message_costs(network));
    std::vector<MessageRule> messages;
    std::size_t above = 0;
    for (std::size_t bytes = smallest_bytes; bytes <= largest_bytes; bytes *= 2) {
        messages.push_back(best_rule(prices, above, bytes));
        above = bytes;
    }
    messages.back().up_to = bcast::no_limit;
    return merged(messages);
}

}  // namespace

TreeCost cost_of(const Plan& plan) {
    TreeCost cost{0, plan.stage, plan.trees.front().share};
    for (const ShareTree& tree : plan.trees) cost.height = std::max(cost.height, height_of(tree.tree));
    return cost;
}

DecisionTable default_table(const Network& network, const SitePlan& site) {
    DecisionTable table;
    table.sends = usual_sends(network);
    table.origin = "predicted from the plan, the links and what software costs; not measured";
    const std::vector<int>& order = site.machines;
    const auto machines = static_cast<int>(order.size());
    for (int from = 2, to = 2; from <= machines; from = to + 1, to *= 2) {
        Rule rule;
        rule.machines_from = from;
        const bool last = to >= machines || to >= most_priced_machines;
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
