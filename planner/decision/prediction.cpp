#include "planner/decision/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "planner/decision/pricing.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/price/price.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t smallest_bytes = 64;
constexpr std::size_t largest_bytes = std::size_t{64} << 20;
// What ours must be predicted to take of native's time: prices are off by a few percent (docs/predictions.md).
constexpr double sure_to_win = 0.95;
// Ranges of sizes double; where no rule is good for all of one, its halves, quarters and eighths have their own. A
// narrow rule may be quicker than a wide one that makes the same choice (begins_as_well_at).
constexpr int most_halvings = 3;
// Streams of more segments go on as they began, so the quick price is as good as the exact one, which takes long.
constexpr std::size_t most_exact_segments = 160;

struct Candidate {
    Choice choice;
    double time_s = 0;
    bool is_exact = false;  // or as good; else from how one stream of such segments goes on
};

/// Of the candidates that are so near the quickest, the one of the longest segments: fewer messages leave less to
/// chance.
Candidate& longest_of_quickest(std::vector<Candidate>& candidates, std::size_t bytes, double nearly_as_good) {
    double best_s = std::numeric_limits<double>::infinity();
    for (const Candidate& one : candidates) best_s = std::min(best_s, one.time_s);
    const auto segment_of = [&](const Candidate& one) {  // in one piece: as long as the message
        return one.choice.segment_bytes == 0 ? bytes : one.choice.segment_bytes;
    };
    Candidate* best = nullptr;
    for (Candidate& one : candidates) {
        if (one.time_s > nearly_as_good * best_s) continue;
        if (best != nullptr && segment_of(one) < segment_of(*best)) continue;
        if (best != nullptr && segment_of(one) == segment_of(*best) && one.time_s >= best->time_s) continue;
        best = &one;
    }
    return *best;
}

enum class Rounds : std::uint8_t { taken, left_out };

/// The quickest of ours for a message, in one piece or in segments of at most `most_bytes`.
std::pair<Choice, double> quickest(Pricing& prices, const RuledMessage& message, std::size_t most_bytes,
                                   Rounds rounds = Rounds::taken) {
    const std::size_t bytes = message.bytes;
    std::vector<Candidate> candidates;
    double best_s = std::numeric_limits<double>::infinity();
    const auto consider = [&](const Choice& choice) {
        const bool is_long = choice.segment_bytes > 0 && bytes / choice.segment_bytes > most_exact_segments;
        candidates.push_back({choice, prices.quick_s(choice, message), choice.segment_bytes == 0 || is_long});
        best_s = std::min(best_s, candidates.back().time_s);
    };
    std::vector<std::pair<double, Choice>> segmented;  // by what they take at least
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!prices.may_choose(row.algorithm)) continue;
        if (rounds == Rounds::left_out && bcast::goes_in_rounds(row.algorithm)) continue;
        if (!bcast::pipelines(row.algorithm)) consider({row.algorithm, 0});
        for (const std::size_t segment : prices.segment_sizes_for(row.algorithm, bytes)) {
            if (segment > most_bytes) continue;
            segmented.push_back({prices.at_least_s({row.algorithm, segment}, bytes), {row.algorithm, segment}});
        }
    }
    std::stable_sort(segmented.begin(), segmented.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [least_s, choice] : segmented) {
        if (least_s >= prices.nearly_as_good() * best_s) break;
        consider(choice);
    }
    for (;;) {
        Candidate& best = longest_of_quickest(candidates, bytes, prices.nearly_as_good());
        if (best.is_exact) return {best.choice, best.time_s};
        best.time_s = prices.exact_s(best.choice, message);
        best.is_exact = true;
    }
}

/// The messages of more than `above` and up to `bytes`.
struct SizeRange {
    std::size_t above;
    std::size_t bytes;
};

/// What is quickest for messages of that many bytes, under a rule as narrow as one can be, and what native takes.
struct Best {
    std::size_t bytes = 0;
    Choice choice;
    double time_s = 0;
    double native_s = 0;
};

/// For a message of the range.
Best best_at(Pricing& prices, const SizeRange& range, std::size_t bytes) {
    const std::size_t narrowest = bytes / 2 >> most_halvings;
    const RuledMessage message{bytes, std::max(range.above, bytes - narrowest)};
    const auto [choice, time_s] = quickest(prices, message, range.above + 1);
    return {bytes, choice, time_s, prices.native_s(bytes)};
}

/// A choice for all messages of a range of sizes, and how many times the quickest it takes at worst.
struct RangeChoice {
    Choice choice;
    double loss = std::numeric_limits<double>::infinity();
};

/// What is quickest at both ends of a range, and at three sizes between where that is so few segments that another one
/// makes a difference. So it does to machines that go in rounds, which keep in step or not, and fill phases or not, by
/// the number of blocks: the ends of a range, which are even numbers, say little of what is between.
std::vector<Best> best_within(Pricing& prices, const SizeRange& range) {
    const std::size_t least = range.above + 1;
    std::vector<Best> found{best_at(prices, range, least), best_at(prices, range, range.bytes)};
    const auto any = [&](const auto& is) {
        return std::any_of(found.begin(), found.end(), [&](const Best& best) { return is(best.choice); });
    };
    const bool in_rounds = any([&](const Choice& choice) { return prices.may_fall_out_of_step(choice); });
    if (!in_rounds && !any([&](const Choice& choice) { return prices.takes_steps(choice, range.bytes); })) return found;
    constexpr std::array<double, 3> quarters{0.25, 0.5, 0.75};
    constexpr std::array<double, 3> uneven{0.27, 0.52, 0.81};
    for (const double part : in_rounds ? uneven : quarters) {
        const auto beyond = static_cast<std::size_t>(part * static_cast<double>(range.bytes - least));
        found.push_back(best_at(prices, range, least + beyond));
    }
    return found;
}

/// Of what is quickest somewhere in the range and sure to win everywhere, what loses least; native if nothing is.
RangeChoice choice_for(Pricing& prices, const SizeRange& range, const std::vector<Best>& found) {
    RangeChoice native{{}, 1};
    std::vector<Choice> candidates;
    for (const Best& best : found) {
        native.loss = std::max(native.loss, best.native_s / best.time_s);
        candidates.push_back(best.choice);
        if (prices.may_fall_out_of_step(best.choice)) {
            const RuledMessage message{best.bytes, range.above};
            candidates.push_back(quickest(prices, message, range.above + 1, Rounds::left_out).first);
        }
    }
    RangeChoice chosen;
    for (const Choice& candidate : candidates) {
        // Of few segments the quick price does not know how many are sure to come.
        const bool exactly = prices.may_fall_out_of_step(candidate) || prices.takes_steps(candidate, range.bytes);
        double loss = 1;
        bool wins = true;
        for (const Best& best : found) {
            const RuledMessage message{best.bytes, range.above};
            const double time_s = exactly ? prices.exact_s(candidate, message) : prices.quick_s(candidate, message);
            loss = std::max(loss, time_s / best.time_s);
            wins = wins && time_s <= sure_to_win * best.native_s;
        }
        if (wins && loss < chosen.loss) chosen = {candidate, loss};
    }
    return std::isfinite(chosen.loss) ? chosen : native;
}

/// Rules for a range of sizes: one if that is good everywhere, else those of its two halves.
void add_rules(Pricing& prices, const SizeRange& range, int halvings, std::vector<MessageRule>& rules) {
    const RangeChoice chosen = choice_for(prices, range, best_within(prices, range));
    constexpr double usually_good_enough = 1.03;
    constexpr double good_enough_in_steps = 1.015;
    const double good_enough =
        prices.takes_steps(chosen.choice, range.bytes) ? good_enough_in_steps : usually_good_enough;
    if (chosen.loss > good_enough && halvings > 0) {
        const std::size_t middle = range.above + (range.bytes - range.above) / 2;
        add_rules(prices, {range.above, middle}, halvings - 1, rules);
        add_rules(prices, {middle, range.bytes}, halvings - 1, rules);
        return;
    }
    rules.push_back({range.bytes, chosen.choice.algorithm, chosen.choice.segment_bytes});
}

std::vector<MessageRule> rules_for(Pricing& prices) {
    std::vector<MessageRule> messages;
    std::size_t above = 0;
    for (std::size_t bytes = smallest_bytes; bytes <= largest_bytes; bytes *= 2) {
        add_rules(prices, {above, bytes}, most_halvings, messages);
        above = bytes;
    }
    messages.back().up_to = bcast::no_limit;
    return merged(messages, [&](const MessageRule& rule, std::size_t own_above, std::size_t joined_above) {
        return prices.begins_as_well_at(rule, own_above, joined_above);
    });
}

}  // namespace

bool begins_as_well_at(Prices& prices, const MessageRule& rule, std::size_t own_above, std::size_t above) {
    constexpr std::size_t few = 16;
    constexpr double as_well = 1.01;
    if (rule.segment_bytes == 0 || rule.up_to / rule.segment_bytes > few) return true;
    const auto time_s = [&](std::size_t begin) {
        return prices.time_s(rule.algorithm, rule.up_to, rule.segment_bytes, begin);
    };
    return time_s(above) <= as_well * time_s(own_above);
}

bool carries_all(const Network& network) {
    const double port_Bps = reference_bandwidth_Bps(network);
    const bcast::Layout layout = layout_of(network);
    for (const Trunk& trunk : network.trunks) {
        if (!trunk.in_tree) return false;  // which ways messages take is not sure
        std::vector<int> walk{trunk.a};
        std::vector<char> beyond(network.switches.size(), 0);
        beyond[at(trunk.a)] = beyond[at(trunk.b)] = 1;
        for (std::size_t i = 0; i < walk.size(); ++i) {
            for (const int next : layout.neighbours[at(walk[i])]) {
                if (std::exchange(beyond[at(next)], 1) == 0) walk.push_back(next);
            }
        }
        const auto behind = std::count_if(
            network.machines.begin(), network.machines.end(),
            [&](const Machine& machine) { return std::find(walk.begin(), walk.end(), machine.sw) != walk.end(); });
        const auto others = static_cast<std::ptrdiff_t>(network.machines.size()) - behind;
        if (trunk.speed.bandwidth_Bps < static_cast<double>(std::min(behind, others)) * port_Bps) return false;
    }
    return true;
}

TreeCost cost_of(const Plan& plan) {
    TreeCost cost{0, plan.stage, plan.trees.front().share};
    for (const ShareTree& tree : plan.trees) cost.height = std::max(cost.height, height_of(tree.tree));
    return cost;
}

DecisionTable default_table(const Network& network, const SitePlan& site) {
    return default_table(network, site, message_costs(network));
}

DecisionTable default_table(const Network& network, const SitePlan& site, const MessageCosts& costs) {
    DecisionTable table;
    table.sends = usual_sends(network);
    table.origin = costs.framing == Framing::simulated
                       ? "predicted from the plan and the links for the simulated network; not measured"
                       : "predicted from the plan, the links and what software costs; not measured";
    const std::vector<int>& order = site.machines;
    const auto machines = static_cast<int>(order.size());
    const int most_priced = most_priced_machines(costs);
    std::optional<Pricing> prices;
    for (int from = 2, to = 2; from <= machines; from = to + 1, to *= to < most_priced ? 2 : 4) {
        Rule rule;
        rule.machines_from = from;
        rule.machines_to = to >= machines ? bcast::any_number : to;
        const std::vector<int> first(order.begin(), order.begin() + std::min(to, machines));
        if (to <= most_priced) {
            prices.emplace(network, first, costs);
        } else {
            prices->stretch_to(first);
        }
        // Between two machines there is one message, which the MPI sends as well.
        rule.messages = first.size() <= 2 ? std::vector{MessageRule{}} : rules_for(*prices);
        table.rules.push_back(std::move(rule));
    }
    if (machines < 2) {  // nothing to plan, yet a table has a row
        table.rules.push_back({1, bcast::any_number, 1, bcast::any_number, bcast::Arrival::balanced, {MessageRule{}}});
    }
    return table;
}

}  // namespace bcastgen
