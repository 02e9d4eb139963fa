#include "tuner/search/validation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "bcast/facts/settings.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

const std::string native_name = measured::native;
constexpr double clear_win = 1.3;  // over native, in a search's few samples

/// Between two sizes, and no round number: the last segment is not like the others.
std::size_t off_grid(std::size_t low, std::size_t high) {
    const auto mean =
        static_cast<std::size_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high))) | std::size_t{1};
    return mean;
}

using VerdictsBySet = std::vector<std::vector<Verdict>>;

template <class Holds>
bool on_all(const VerdictsBySet& verdicts, std::size_t trial, Holds holds) {
    return std::all_of(verdicts.begin(), verdicts.end(),
                       [&](const std::vector<Verdict>& set) { return holds(set[trial]); });
}

/// Whether there was no time to decide it.
bool is_open(const VerdictsBySet& verdicts, std::size_t trial, double margin) {
    return !on_all(verdicts, trial, [](const Verdict& verdict) { return verdict.measured; }) &&
           on_all(verdicts, trial, [&](const Verdict& verdict) { return !verdict.measured || verdict.wins(margin); });
}

/// What a trial's rule rests on. Native that nobody has found to be quicker, but that the model takes, is predicted.
Grounds grounds_of(const std::vector<std::vector<Verdict>>& verdicts, std::size_t trial, bool kept, double margin) {
    bool measured = true;
    bool lost = false;
    for (const std::vector<Verdict>& set : verdicts) {
        measured = measured && set[trial].measured;
        lost = lost || (set[trial].measured && !set[trial].wins(margin));
    }
    const Trial& of = verdicts.front()[trial].trial;
    if (kept) return measured ? Grounds::measured : Grounds::predicted;
    if (of.choice.algorithm == native_name) return of.predicted ? Grounds::predicted : Grounds::measured;
    return lost ? Grounds::measured : Grounds::no_time;
}

}  // namespace

double Verdict::speed_up_high() const {
    if (!measured) return 0;
    return chosen_us.low > 0 ? native_us.high / chosen_us.low : std::numeric_limits<double>::infinity();
}

bool Verdict::undecided(double margin) const {
    if (!measured) return true;
    const bool lost = speed_up_high() < 1 + margin;
    return !wins(margin) && !lost;
}

std::vector<Trial> trials_of(const std::vector<SizeChoice>& choices) {
    std::vector<Trial> trials;
    if (choices.empty()) return trials;
    const auto add = [&](std::size_t bytes, const SizeChoice& found) {
        if (bytes > 0 && (trials.empty() || bytes > trials.back().message_bytes)) {
            trials.push_back({bytes, found.choice.at(bytes), found.native_us.samples == 0});
        }
    };
    std::vector<std::size_t> below;
    for (std::size_t bytes = choices.front().choice.message_bytes / 4; bytes > 0; bytes /= 4)
        below.push_back(bytes | 1);
    for (auto bytes = below.rbegin(); bytes != below.rend(); ++bytes) add(*bytes, choices.front());
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const std::size_t bytes = choices[i].choice.message_bytes;
        if (i > 0) {
            const std::size_t middle = off_grid(choices[i - 1].choice.message_bytes, bytes);
            if (middle < bytes) add(middle, choices[i]);
        }
        add(bytes, choices[i]);
    }
    add(choices.back().choice.message_bytes / 2 * 3 + 1, choices.back());
    return trials;
}

bool is_clear(const std::vector<SizeChoice>& choices, const Trial& trial) {
    const auto clear = [](const SizeChoice& one) {
        return one.choice.algorithm != native_name && one.cost_us.samples >= clear_samples &&
               one.native_us.samples >= clear_samples && one.native_us.median >= clear_win * one.cost_us.median;
    };
    std::vector<SizeChoice> seen;  // the others are the model's
    std::copy_if(choices.begin(), choices.end(), std::back_inserter(seen),
                 [](const SizeChoice& one) { return one.native_us.samples > 0; });
    if (seen.empty()) return false;
    auto next = std::find_if(seen.begin(), seen.end(),
                             [&](const SizeChoice& one) { return one.choice.message_bytes >= trial.message_bytes; });
    if (next == seen.end()) --next;
    const auto before = next == seen.begin() ? next : std::prev(next);
    const std::string& algorithm = trial.choice.algorithm;
    return clear(*next) && clear(*before) &&
           (algorithm == next->choice.algorithm || algorithm == before->choice.algorithm);
}

std::vector<Verdict> validate(Sampler& sampler, const std::vector<Trial>& trials, const ValidationSettings& settings) {
    std::vector<Verdict> verdicts;
    for (const Trial& trial : trials) verdicts.push_back({trial, {}, {}, trial.choice.algorithm == native_name});
    const auto look = [&] {
        for (Verdict& verdict : verdicts) {
            if (verdict.trial.choice.algorithm == native_name) continue;
            verdict.native_us = sampler.cost_us({native_name, 0, verdict.trial.message_bytes});
            verdict.chosen_us = sampler.cost_us(verdict.trial.choice);
            verdict.measured = std::isfinite(verdict.native_us.high) && std::isfinite(verdict.chosen_us.high);
        }
    };
    const int most = settings.exact ? 1 : settings.most_repetitions;
    for (int repetitions = settings.exact ? 1 : settings.first_repetitions; repetitions <= most; repetitions *= 2) {
        std::vector<MeasureCase> cases;
        for (const Verdict& verdict : verdicts) {
            if (verdict.trial.choice.algorithm == native_name || !verdict.undecided(settings.margin)) continue;
            cases.push_back({native_name, 0, verdict.trial.message_bytes});
            cases.push_back(verdict.trial.choice);
        }
        if (cases.empty() || sampler.out_of_time()) break;
        sampler.take(cases, repetitions);
        look();
    }
    return verdicts;
}

std::vector<bool> kept_trials(const std::vector<std::vector<Verdict>>& verdicts, double margin) {
    const std::size_t trials = verdicts.front().size();
    std::vector<bool> kept(trials);
    std::vector<bool> open(trials);
    for (std::size_t i = 0; i < trials; ++i) {
        open[i] = is_open(verdicts, i, margin);
        kept[i] = on_all(verdicts, i, [&](const Verdict& verdict) { return verdict.wins(margin); }) ||
                  (open[i] &&
                   on_all(verdicts, i, [](const Verdict& verdict) { return verdict.measured || verdict.foreseen; }));
    }
    for (std::size_t i = 0; i < trials; ++i) {
        if (kept[i] || !open[i] || i == 0 || !kept[i - 1]) continue;
        std::size_t next = i + 1;
        while (next < trials && open[next] && !kept[next]) ++next;
        kept[i] = next < trials && kept[next];  // and with it those up to there
    }
    return kept;
}

std::vector<std::vector<Verdict>> with_predictions_where_open(std::vector<std::vector<Verdict>> verdicts,
                                                              double margin) {
    const std::vector<bool> kept = kept_trials(verdicts, margin);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto has_instead = [](const Verdict& verdict) { return verdict.instead.has_value(); };
        if (kept[i] || !is_open(verdicts, i, margin) || !on_all(verdicts, i, has_instead)) continue;
        for (std::vector<Verdict>& set : verdicts) {
            Verdict foreseen;
            foreseen.trial = {set[i].trial.message_bytes, *set[i].instead, true};
            foreseen.foreseen = true;
            set[i] = foreseen;
        }
    }
    return verdicts;
}

std::vector<MessageRule> surviving_rules(const std::vector<std::vector<Verdict>>& verdicts, double margin,
                                         const MayJoin& may_join) {
    const std::vector<bool> kept = kept_trials(verdicts, margin);
    std::vector<MessageRule> rules;
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const Trial& trial = verdicts.front()[i].trial;
        const Grounds grounds = grounds_of(verdicts, i, kept[i], margin);
        if (!kept[i]) {
            rules.push_back({trial.message_bytes, bcast::usual::no_rule, 0, grounds});
            continue;
        }
        if (i > 0 && !kept[i - 1])
            rules.push_back({trial.message_bytes - 1, bcast::usual::no_rule, 0, rules.back().grounds});
        MessageRule rule = rule_of(trial.choice.at(trial.message_bytes));
        rule.grounds = grounds;
        rules.push_back(rule);
    }
    if (!rules.empty()) rules.back().up_to = bcast::no_limit;
    std::vector<MessageRule> left = merged(rules, may_join);
    // A choice may stand up to a size that is less than one of its segments: then it is one of that size.
    for (MessageRule& rule : left) rule.segment_bytes = std::min(rule.segment_bytes, rule.up_to);
    return left;
}

}  // namespace bcastgen
