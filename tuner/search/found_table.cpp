#include "tuner/search/found_table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "bcast/facts/settings.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

/// On the shape's own sets of machines and on the fewest that its rules serve.
std::vector<std::vector<Verdict>> verdicts_on_all(const ValidatedShape& one) {
    std::vector<std::vector<Verdict>> verdicts = one.verdicts;
    if (!one.lowest_verdicts.empty()) verdicts.push_back(one.lowest_verdicts);
    return verdicts;
}

/// Whether no larger shape differs in this count alone.
bool is_last(const std::vector<ValidatedShape>& shapes, const Shape& shape, int Shape::*count) {
    return std::none_of(shapes.begin(), shapes.end(), [&](const ValidatedShape& other) {
        Shape as_other = shape;
        as_other.*count = other.shape.*count;
        return other.shape.*count > shape.*count && other.shape.machines == as_other.machines &&
               other.shape.ranks_per_machine == as_other.ranks_per_machine && other.shape.arrival == as_other.arrival;
    });
}

/// For one range of machines; `frame` has what is the same for all of them.
void add_row(std::vector<Rule>& rows, Rule frame, int from, int to, std::vector<MessageRule> messages) {
    if (messages.empty()) return;
    frame.machines_from = from;
    frame.machines_to = to;
    frame.messages = std::move(messages);
    rows.push_back(std::move(frame));
}

/// What is left of the trials and, if the last of them won by the model's choice, the model's rules above it.
std::vector<MessageRule> rules_of(const ValidatedShape& one, const std::vector<std::vector<Verdict>>& verdicts,
                                  double margin, const MayJoin& may_join) {
    const std::vector<std::vector<Verdict>> last_word = with_predictions_where_open(verdicts, margin);
    std::vector<MessageRule> rules = surviving_rules(last_word, margin, may_join);
    const Trial& last = last_word.front().back().trial;
    const bool by_model = one.ends_as_predicted || last.choice != verdicts.front().back().trial.choice;
    if (!by_model || one.predicted_above.empty() || bcast::is_native(rules.back().algorithm)) return rules;
    rules.back().up_to = last.message_bytes;
    for (MessageRule rule : one.predicted_above) {
        rule.grounds = Grounds::predicted;
        rules.push_back(rule);
    }
    return merged(rules, may_join);
}

/// Native from `machines_from` on, then what holds for fewer machines than the shape has, then what holds for as many.
void add_shape(std::vector<Rule>& rows, const ValidatedShape& one, const Rule& frame, int machines_from,
               int machines_to, double margin, const MayJoin& may_join) {
    if (one.lowest > machines_from) add_row(rows, frame, machines_from, one.lowest - 1, {MessageRule{}});
    const std::vector<MessageRule> own = rules_of(one, one.verdicts, margin, may_join);
    const std::vector<MessageRule> of_fewer = rules_of(one, verdicts_on_all(one), margin, may_join);
    const bool same_grounds =
        std::equal(own.begin(), own.end(), of_fewer.begin(), of_fewer.end(),
                   [](const MessageRule& a, const MessageRule& b) { return a.grounds == b.grounds; });
    if (of_fewer == own && same_grounds) return add_row(rows, frame, one.lowest, machines_to, own);
    add_row(rows, frame, one.lowest, one.shape.machines - 1, of_fewer);
    add_row(rows, frame, one.shape.machines, machines_to, own);
}

void add_validations(FoundTable& table, const Shape& shape, const std::string& placement,
                     const std::vector<Verdict>& verdicts, const std::vector<bool>& kept,
                     const std::vector<bool>& kept_at_last) {
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
        const Verdict& verdict = verdicts[i];
        const MeasureCase& choice = verdict.trial.choice;
        if (is_native(choice.algorithm)) continue;
        if (!verdict.measured) {
            ++(kept_at_last[i] ? table.foreseen : table.unvalidated);
            continue;
        }
        table.validations.push_back({shape.machines, shape.ranks_per_machine, placement, shape.arrival,
                                     verdict.trial.message_bytes, choice.algorithm, choice.segment_bytes,
                                     verdict.native_us.median, verdict.chosen_us.median, verdict.speed_up(),
                                     verdict.speed_up_low(), verdict.speed_up_high(), kept[i]});
    }
}

void add_validations(FoundTable& table, const ValidatedShape& one, double margin) {
    const auto kept_at_last = [&](const std::vector<std::vector<Verdict>>& verdicts) {
        return kept_trials(with_predictions_where_open(verdicts, margin), margin);
    };
    const std::vector<bool> kept = kept_trials(one.verdicts, margin);
    for (std::size_t set = 0; set < one.verdicts.size(); ++set) {
        add_validations(table, one.shape, one.placements[set], one.verdicts[set], kept, kept_at_last(one.verdicts));
    }
    Shape lowest = one.shape;
    lowest.machines = one.lowest;
    const std::vector<std::vector<Verdict>> all = verdicts_on_all(one);
    add_validations(table, lowest, one.lowest_placement, one.lowest_verdicts, kept_trials(all, margin),
                    kept_at_last(all));
}

}  // namespace

TableValidation validation_of(const std::vector<StoredValidation>& validations, double margin) {
    TableValidation validation{margin, {}};
    for (const StoredValidation& one : validations) {
        // The search's own names, of regimes and of algorithms.
        const MessageRule tried = named_rule(one.algorithm).value();
        validation.trials.push_back({one.machines, one.ranks_per_machine, parse_arrival(one.arrival).value(),
                                     one.placement, static_cast<std::size_t>(one.message_bytes), tried.algorithm,
                                     static_cast<std::size_t>(one.segment_bytes), tried.hand_on, one.speed_up,
                                     one.speed_up_low, one.speed_up_high, one.kept, tried.own});
    }
    return validation;
}

FoundTable found_table(const std::vector<ValidatedShape>& shapes, double margin, const MayJoinAmong& may_join) {
    FoundTable table;
    Shape before{0, 0, ""};
    int machines_from = 0;
    for (const ValidatedShape& one : shapes) {
        const Shape& shape = one.shape;
        if (shape.arrival != before.arrival) before = {0, 0, shape.arrival};
        const bool more_ranks = shape.machines == before.machines;
        if (!more_ranks) machines_from = before.machines == 0 ? std::min(2, shape.machines) : before.machines + 1;
        Rule frame;
        frame.arrival = parse_arrival(shape.arrival).value();
        frame.ranks_per_machine_from = more_ranks ? before.ranks_per_machine + 1 : 1;
        if (!is_last(shapes, shape, &Shape::ranks_per_machine)) frame.ranks_per_machine_to = shape.ranks_per_machine;
        const bool most = shape.machines > 1 && is_last(shapes, shape, &Shape::machines);
        MayJoin of_shape;
        if (may_join) of_shape = std::bind_front(may_join, shape.machines);
        add_shape(table.rules, one, frame, machines_from, most ? bcast::any_number : shape.machines, margin, of_shape);
        add_validations(table, one, margin);
        before = shape;
    }
    return table;
}

}  // namespace bcastgen
