#include "planner/decision/prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "bcast/facts/tree_builders.hpp"
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
// Rounds whose sends may meet on trunks are only for messages that are soon through, and may take so many times their
// price, which is of the very moments at which sends meet.
constexpr std::size_t most_meeting_bytes = 131072;
constexpr double if_they_meet = 1.02;
// Of those that are so near the best, the longest segments: fewer messages leave less to chance. Over real sockets what
// answers and the MPI's own headers take of short ones is not known to the percent.
constexpr double usually_near = 1.02;
constexpr double near_on_sockets = 1.04;
// Ranges of sizes double; where no rule is good for all of one, its halves, quarters and eighths have their own. A
// narrow rule may be quicker than a wide one that makes the same choice (begins_as_well_at).
constexpr int most_halvings = 3;
// Streams of more segments go on as they began, so the quick price is as good as the exact one, which takes long.
constexpr std::size_t most_exact_segments = 160;

struct Choice {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    std::size_t segment_bytes = 0;
    bool operator==(const Choice&) const = default;
};

/// Where rank 0 is, which most programs broadcast from.
int usual_root(const Network& network, const std::vector<int>& machines) {
    return in_natural_order(network, machines).front();
}

/// Prices among some machines, and from them what as many more machines take as trees grow higher.
class Pricing {
  public:
    Pricing(const Network& network, const std::vector<int>& machines, const MessageCosts& costs)
        : network_(network),
          costs_(costs),
          prices_(network, machines, usual_root(network, machines), costs),
          machines_(machines),
          full_bisection_(carries_all(network)),
          is_tree_(std::all_of(network.trunks.begin(), network.trunks.end(), [](const Trunk& t) { return t.in_tree; })),
          nearly_as_good_(costs.framing == Framing::sockets ? near_on_sockets : usually_near) {}

    /// Rings have a price, too, but move everything twice. Among many machines none sends to all others in turn, and
    /// among few a tree of more children is one of fewer.
    [[nodiscard]] bool may_choose(bcast::Algorithm algorithm) const {
        if (may_meet(algorithm) && !knows_what_meets()) return false;
        if (more_rounds_ > 0 && sends_to_all(algorithm)) return false;
        return Prices::has_price(algorithm) && !bcast::scatters(algorithm) &&
               !bcast::has(algorithm, bcast::trait::only_if_asked) &&
               bcast::row_of(algorithm).children < static_cast<int>(machines_.size());
    }

    /// From now on for these machines, of which the former are the first: every further step down a tree takes as long
    /// as a segment to the next machine. If there are too many of them for messages in one piece as well, those and
    /// native take as many further rounds as any broadcast needs.
    void stretch_to(const std::vector<int>& machines) {
        if (static_cast<int>(machines.size()) <= most_priced_whole) {
            whole_.emplace(network_, machines, usual_root(network_, machines), costs_);
        } else {
            whole_.reset();
        }
        more_steps_.clear();
        const bcast::Layout layout = layout_of(network_);
        for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
            if (!may_choose(row.algorithm) || !bcast::pipelines(row.algorithm)) continue;
            more_steps_[row.algorithm] =
                height_among(layout, machines, row.algorithm) - height_among(layout, machines_, row.algorithm);
        }
        more_rounds_ = std::log2(static_cast<double>(machines.size()) / static_cast<double>(machines_.size()));
    }

    [[nodiscard]] std::vector<std::size_t> segment_sizes_for(bcast::Algorithm algorithm, std::size_t bytes) const {
        if (may_meet(algorithm) && bytes > most_meeting_bytes) return {};
        return prices_.segment_sizes_for(algorithm, bytes);
    }
    [[nodiscard]] double nearly_as_good() const { return nearly_as_good_; }

    /// Whether so many bytes are few segments, on links that serve in turn.
    [[nodiscard]] bool takes_steps(const Choice& choice, std::size_t bytes) const {
        constexpr std::size_t few = 8;
        return costs_.in_turn && choice.segment_bytes > 0 && bytes <= few * choice.segment_bytes;
    }

    /// docs/algorithms.md, "In step".
    [[nodiscard]] bool may_fall_out_of_step(const Choice& choice) const {
        return costs_.in_turn && bcast::goes_in_rounds(choice.algorithm);
    }

    [[nodiscard]] double quick_s(const Choice& choice, const RuledMessage& message) {
        if (is_whole(choice)) return whole_->quick_s(choice.algorithm, message.bytes, 0);
        const double time_s =
            prices_.quick_s(choice.algorithm, message.bytes, choice.segment_bytes, message.above_bytes);
        return time_s * allowance(choice) + more_s(choice, message.bytes);
    }
    /// Of small messages among all, whatever their segments: these may meet on trunks that the first machines do not
    /// share, and are soon gone through.
    [[nodiscard]] double exact_s(const Choice& choice, const RuledMessage& message) {
        constexpr std::size_t small_bytes = 4096;
        const auto& [bytes, above_bytes] = message;
        if (is_whole(choice) || (whole_ && bytes <= small_bytes)) {
            return whole_->time_s(choice.algorithm, bytes, choice.segment_bytes, above_bytes);
        }
        const double time_s = prices_.time_s(choice.algorithm, bytes, choice.segment_bytes, above_bytes);
        return time_s * allowance(choice) + more_s(choice, bytes);
    }
    [[nodiscard]] double at_least_s(const Choice& choice, std::size_t bytes) {
        const double least_s = prices_.at_least_s(choice.algorithm, bytes, choice.segment_bytes);
        return least_s * allowance(choice) + more_s(choice, bytes);
    }
    [[nodiscard]] bool begins_as_well_at(const MessageRule& rule, std::size_t own_above, std::size_t above) {
        return bcastgen::begins_as_well_at(prices_, rule, own_above, above);
    }
    [[nodiscard]] double native_s(std::size_t bytes) {
        if (whole_) return whole_->native_s(bytes);
        return prices_.native_s(bytes) + (more_rounds_ > 0 ? more_rounds_ * once_s(1) : 0);
    }

  private:
    /// Whether sends of some machines of the site may meet on a trunk.
    [[nodiscard]] bool may_meet(bcast::Algorithm algorithm) const {
        return !full_bisection_ && bcast::has(algorithm, bcast::trait::full_bisection);
    }
    /// Whether the price says what it takes where sends meet: all machines of a tree of switches load its trunks about
    /// as much as any of them do, and what waits for a port waits for a trunk alike.
    [[nodiscard]] bool knows_what_meets() const {
        return costs_.in_turn && more_rounds_ == 0 && prices_.goes_through_rounds() && is_tree_ &&
               machines_.size() == network_.machines.size();
    }
    [[nodiscard]] double allowance(const Choice& choice) const { return may_meet(choice.algorithm) ? if_they_meet : 1; }
    [[nodiscard]] static bool sends_to_all(bcast::Algorithm algorithm) {
        return bcast::row_of(algorithm).children == bcast::everyone && !bcast::has(algorithm, bcast::trait::by_size);
    }
    [[nodiscard]] bool is_whole(const Choice& choice) const { return whole_ && choice.segment_bytes == 0; }

    [[nodiscard]] double height_among(const bcast::Layout& layout, const std::vector<int>& machines,
                                      bcast::Algorithm algorithm) const {
        const bcast::Order order = bcast::depth_first_order(layout, machines, usual_root(network_, machines));
        int height = 0;
        for (const bcast::Tree& tree :
             bcast::build_trees(algorithm, {layout, order, bcast::row_of(algorithm).children, 0})) {
            height = std::max(height, height_of(tree));
        }
        return height;
    }

    /// Asked for the same few sizes again and again.
    [[nodiscard]] double once_s(std::size_t bytes) {
        const auto [at, made] = once_s_.try_emplace(bytes);
        if (made) at->second = prices_.once_s(bytes);
        return at->second;
    }

    [[nodiscard]] double more_s(const Choice& choice, std::size_t bytes) {
        if (more_rounds_ == 0) return 0;
        if (choice.segment_bytes > 0) return more_steps_.at(choice.algorithm) * once_s(choice.segment_bytes);
        return more_rounds_ * once_s(bytes);
    }

    const Network& network_;
    MessageCosts costs_;
    Prices prices_;
    std::optional<Prices> whole_;  // among all, once stretched
    std::vector<int> machines_;
    bool full_bisection_;
    bool is_tree_;
    double nearly_as_good_;
    std::map<bcast::Algorithm, double> more_steps_;
    std::map<std::size_t, double> once_s_;
    double more_rounds_ = 0;
};

struct Candidate {
    Choice choice;
    double time_s = 0;
    bool is_exact = false;  // or as good; else from how one stream of such segments goes on
};

/// Of the candidates that are so near the quickest, the one of the longest segments.
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
        const bool in_rounds = prices.may_fall_out_of_step(candidate);
        double loss = 1;
        bool wins = true;
        for (const Best& best : found) {
            const RuledMessage message{best.bytes, range.above};
            const double time_s = in_rounds ? prices.exact_s(candidate, message) : prices.quick_s(candidate, message);
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
