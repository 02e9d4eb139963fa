#include "validation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bcastgen {

namespace {

const std::string native = "native";

/// Between two sizes, and no round number: the last segment is not like the others.
std::size_t off_grid(std::size_t low, std::size_t high) {
    const auto mean =
        static_cast<std::size_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high))) | std::size_t{1};
    return mean;
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
    const auto add = [&](std::size_t bytes, const MeasureCase& of) {
        if (bytes > 0 && (trials.empty() || bytes > trials.back().message_bytes)) {
            trials.push_back({bytes, {of.algorithm, of.segment_bytes, bytes}});
        }
    };
    add(choices.front().choice.message_bytes / 4 | 1, choices.front().choice);
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const MeasureCase& choice = choices[i].choice;
        if (i > 0) {
            const std::size_t middle = off_grid(choices[i - 1].choice.message_bytes, choice.message_bytes);
            if (middle < choice.message_bytes) add(middle, choice);
        }
        add(choice.message_bytes, choice);
    }
    const MeasureCase& last = choices.back().choice;
    add(last.message_bytes / 2 * 3 + 1, last);
    return trials;
}

std::vector<Verdict> validate(Sampler& sampler, const std::vector<Trial>& trials, const ValidationSettings& settings) {
    std::vector<Verdict> verdicts;
    for (const Trial& trial : trials) verdicts.push_back({trial, {}, {}, trial.choice.algorithm == native});
    const auto look = [&] {
        for (Verdict& verdict : verdicts) {
            if (verdict.trial.choice.algorithm == native) continue;
            verdict.native_us = sampler.cost_us({native, 0, verdict.trial.message_bytes});
            verdict.chosen_us = sampler.cost_us(verdict.trial.choice);
            verdict.measured = verdict.native_us.samples > 0 && verdict.chosen_us.samples > 0;
        }
    };
    const int most = settings.exact ? 1 : settings.most_repetitions;
    for (int repetitions = settings.exact ? 1 : settings.first_repetitions; repetitions <= most; repetitions *= 2) {
        std::vector<MeasureCase> cases;
        for (const Verdict& verdict : verdicts) {
            if (verdict.trial.choice.algorithm == native || !verdict.undecided(settings.margin)) continue;
            cases.push_back({native, 0, verdict.trial.message_bytes});
            cases.push_back(verdict.trial.choice);
        }
        if (cases.empty() || sampler.out_of_time()) break;
        sampler.take(cases, repetitions);
        look();
    }
    return verdicts;
}

std::vector<StoredRule> surviving_rules(const std::vector<std::vector<Verdict>>& verdicts, double margin) {
    std::vector<StoredRule> rules;
    for (std::size_t i = 0; i < verdicts.front().size(); ++i) {
        const Trial& trial = verdicts.front()[i].trial;
        const bool kept = trial.choice.algorithm != native &&
                          std::all_of(verdicts.begin(), verdicts.end(),
                                      [&](const std::vector<Verdict>& set) { return set[i].wins(margin); });
        StoredRule rule;
        rule.up_to = trial.message_bytes;
        rule.algorithm = kept ? trial.choice.algorithm : native;
        rule.segment_bytes = kept ? trial.choice.segment_bytes : 0;
        const bool same = !rules.empty() && rules.back().algorithm == rule.algorithm &&
                          rules.back().segment_bytes == rule.segment_bytes;
        if (same) {
            rules.back().up_to = rule.up_to;
        } else {
            rules.push_back(rule);
        }
    }
    if (!rules.empty()) rules.back().up_to.reset();
    return rules;
}

}  // namespace bcastgen
