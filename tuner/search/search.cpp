#include "tuner/search/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "tuner/measure/segment_sizes.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/search/predictions_between.hpp"
#include "tuner/search/priced_segments.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t smallest_segment = 512;
constexpr std::size_t most_segments = 4096;  // of a message
constexpr std::size_t whole_up_to = 65536;   // messages that are tried in one piece whatever wins
constexpr std::size_t usual_segment = 8192;
constexpr double hopeless_factor = 3;      // after the survey: so much slower is not worth another look
constexpr double contender_factor = 1.25;  // after the coarse step
constexpr double close_factor = 1.05;      // before the finest steps
constexpr double promising_factor = 1.05;  // by prices: so much slower than the model's choice is worth a look
constexpr std::size_t ladder_steps_to_double = 8;
const std::string native = measured::native;
const std::string ping_pong = measured::ping_pong;

/// The state of a message size.
struct AtSize {
    std::size_t bytes = 0;
    std::vector<MeasureCase> tried;
    std::vector<std::string> alive;  ///< algorithms
};

bool contains(const std::vector<MeasureCase>& cases, const MeasureCase& one) {
    return std::find(cases.begin(), cases.end(), one) != cases.end();
}

class Search {
  public:
    Search(Sampler& sampler, const SearchSettings& settings) : sampler_(sampler), settings_(settings) {}

    SearchResult run() {
        for (const std::size_t bytes : settings_.sizes) {
            at_.push_back({bytes, {}, settings_.algorithms});
            result_.exhaustive += 1;  // native
            for (const std::string& algorithm : settings_.algorithms) {
                result_.exhaustive += segment_ladder(algorithm, bytes).size();
            }
        }
        references();
        model_segments();
        survey();
        coarse();
        frames();
        refine();
        confirm(settings_.usual_repetitions);
        std::vector<SizeChoice> choices;
        for (const AtSize& at : at_) choices.push_back(choice_at(at));
        choices = cross_overs(prefer_neighbours(choices));
        if (!settings_.exact) choices = confirmed(std::move(choices));
        result_.choices = with_predictions_between(choices, settings_, sampler_);
        for (const AtSize& at : at_) result_.tried += at.tried.size();
        return result_;
    }

  private:
    /// Noise hides what segments differ by less than a half.
    [[nodiscard]] std::size_t finest_steps() const { return settings_.exact ? 1 : ladder_steps_to_double / 2; }

    [[nodiscard]] int first_repetitions() const { return settings_.exact ? 1 : settings_.first_repetitions; }

    /// Measures candidates, those apart that cannot win or have been measured.
    void measure(const std::string& step, const std::vector<std::pair<AtSize*, MeasureCase>>& candidates,
                 int repetitions) {
        std::vector<MeasureCase> cases;
        for (const auto& [at, one] : candidates) {
            if (contains(at->tried, one)) continue;
            if (hopeless(*at, one)) {
                ++result_.pruned;
                continue;
            }
            at->tried.push_back(one);
            cases.push_back(one);
        }
        if (!cases.empty()) take(step, cases, repetitions);
    }

    /// In one job with native, so that what disturbs one disturbs both.
    void take(const std::string& step, std::vector<MeasureCase> cases, int repetitions) {
        if (!settings_.exact) {
            std::set<std::size_t> sizes;
            for (const MeasureCase& one : cases) sizes.insert(one.message_bytes);
            for (const std::size_t bytes : sizes) {
                const MeasureCase reference{native, 0, bytes};
                if (!contains(cases, reference)) cases.push_back(reference);
            }
        }
        if (settings_.exact && settings_.stake) {
            std::stable_sort(cases.begin(), cases.end(), [&](const MeasureCase& a, const MeasureCase& b) {
                return settings_.stake(a.message_bytes) > settings_.stake(b.message_bytes);
            });
        }
        if (settings_.on_step) settings_.on_step(step, cases.size());
        sampler_.take(cases, repetitions);
        if (!settings_.on_measured) return;
        for (const MeasureCase& one : cases) {
            const Estimate cost = sampler_.cost_us(one);
            if (cost.samples == 0 || contains(told_, one)) continue;
            told_.push_back(one);
            settings_.on_measured(one, cost);
        }
    }

    [[nodiscard]] bool hopeless(const AtSize& at, const MeasureCase& one) const {
        if (one.algorithm == native) return false;
        const SizeChoice incumbent = best(at);
        if (incumbent.cost_us.samples == 0) return false;
        const double most_us = std::min(incumbent.cost_us.high, 2 * incumbent.cost_us.median);
        return (settings_.lower_bound_us && settings_.lower_bound_us(one) > most_us) ||
               (settings_.hardly_less_us && settings_.hardly_less_us(one) > most_us);
    }

    /// The quickest of those measured that are `wanted`; `samples` is 0 if there are none.
    template <class Wanted>
    [[nodiscard]] SizeChoice quickest(const AtSize& at, Wanted wanted) const {
        SizeChoice choice;
        for (const MeasureCase& one : at.tried) {
            if (!wanted(one)) continue;
            const Estimate cost = sampler_.cost_us(one);
            if (cost.samples == 0) continue;
            if (choice.cost_us.samples == 0 || cost.median < choice.cost_us.median) choice = {one, cost, {}};
        }
        return choice;
    }

    /// The quickest of what has been measured; native if nothing is quicker. The model's choice if nothing is measured.
    [[nodiscard]] SizeChoice best(const AtSize& at) const {
        const MeasureCase reference{native, 0, at.bytes};
        const Estimate native_us = sampler_.cost_us(reference);
        const SizeChoice found = quickest(at, [](const MeasureCase&) { return true; });
        const bool quicker = native_us.samples == 0 || found.cost_us.median < native_us.median;
        if (found.cost_us.samples > 0 && quicker) return {found.choice, found.cost_us, native_us};
        if (native_us.samples == 0 && settings_.predicted) return {settings_.predicted(at.bytes), {}, {}};
        return {reference, native_us, native_us};
    }

    /// The best; where native alone was measured, nobody knows whether it is, and the model's choice stands.
    [[nodiscard]] SizeChoice choice_at(const AtSize& at) const {
        const SizeChoice found = best(at);
        if (found.choice.algorithm != native || !settings_.predicted) return found;
        const SizeChoice ours = quickest(at, [](const MeasureCase& one) { return one.algorithm != native; });
        const MeasureCase predicted = settings_.predicted(at.bytes);
        if (ours.cost_us.samples > 0 || predicted.algorithm == native) return found;
        return {predicted, {}, found.native_us};
    }

    /// The algorithm's quickest segment size so far.
    [[nodiscard]] SizeChoice best_of(const AtSize& at, const std::string& algorithm) const {
        return quickest(at, [&](const MeasureCase& one) { return one.algorithm == algorithm; });
    }

    /// The same of the sizes on the ladder: segments of one frame are not among them.
    [[nodiscard]] SizeChoice best_on_ladder(const AtSize& at, const std::string& algorithm) const {
        return quickest(at, [&](const MeasureCase& one) {
            return one.algorithm == algorithm && one.segment_bytes != frame_segment_bytes;
        });
    }

    /// Native and T(m), and what the model would choose: something to be better than.
    void references() {
        std::vector<std::pair<AtSize*, MeasureCase>> candidates;
        for (AtSize& at : at_) {
            candidates.emplace_back(&at, MeasureCase{native, 0, at.bytes});
            if (!settings_.predicted) continue;
            const MeasureCase predicted = settings_.predicted(at.bytes);
            if (std::find(at.alive.begin(), at.alive.end(), predicted.algorithm) == at.alive.end()) continue;
            candidates.emplace_back(&at, predicted);
        }
        std::vector<MeasureCase> cases;
        for (auto& [at, one] : candidates) {
            at->tried.push_back(one);
            cases.push_back(one);
        }
        for (AtSize& at : at_) cases.push_back({ping_pong, 0, at.bytes});
        take("references", cases, first_repetitions());
    }

    /// What the model would choose, in the segments that are cheapest.
    void model_segments() {
        if (!settings_.predicted || !settings_.price_us) return;
        std::vector<std::pair<AtSize*, MeasureCase>> candidates;
        for (AtSize& at : at_) {
            const MeasureCase predicted = settings_.predicted(at.bytes);
            if (!contains(at.tried, predicted)) continue;
            candidates.emplace_back(&at, in_cheapest_segments(predicted, settings_, {}));
        }
        measure("segments", candidates, first_repetitions());
    }

    /// By prices, of segments that double; else a segment size that seldom is far off.
    [[nodiscard]] MeasureCase first_try(const std::string& algorithm, std::size_t bytes) const {
        const std::vector<std::size_t> ladder = segment_ladder(algorithm, bytes);
        const bool pipelines = bytes > usual_segment && ladder.size() > 1;
        std::vector<std::size_t> doubled;
        for (std::size_t i = 0; i < ladder.size(); i += ladder_steps_to_double) doubled.push_back(ladder[i]);
        return cheapest_of({algorithm, pipelines ? usual_segment : 0, bytes}, doubled, 1, settings_, {});
    }

    /// Every algorithm once.
    void survey() {
        std::vector<std::pair<AtSize*, MeasureCase>> candidates;
        for (AtSize& at : at_) {
            for (const std::string& algorithm : at.alive) {
                if (best_of(at, algorithm).cost_us.samples > 0 || sampler_.out_of_time()) continue;
                candidates.emplace_back(&at, first_try(algorithm, at.bytes));
            }
        }
        measure("survey", candidates, first_repetitions());
    }

    /// Keeps the better half of the algorithms, and those alone that are not slower than the best by `factor`.
    void halve(AtSize& at, double factor) {
        std::vector<std::pair<double, std::string>> ranked;
        for (const std::string& algorithm : at.alive) {
            const SizeChoice own = best_of(at, algorithm);
            if (own.cost_us.samples > 0) ranked.emplace_back(own.cost_us.median, algorithm);
        }
        std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        at.alive.clear();
        const std::size_t half = (settings_.algorithms.size() + 1) / 2;
        for (const auto& [cost, algorithm] : ranked) {
            if (at.alive.size() < half && cost <= factor * ranked.front().first) at.alive.push_back(algorithm);
        }
    }

    /// The surviving half with much smaller and much larger segments, and small messages in one piece.
    void coarse() {
        std::vector<std::pair<AtSize*, MeasureCase>> candidates;
        for (AtSize& at : at_) {
            halve(at, hopeless_factor);
            for (const std::string& algorithm : at.alive) {
                for (const std::size_t segment : around(at, algorithm, 2 * ladder_steps_to_double)) {
                    candidates.emplace_back(&at, MeasureCase{algorithm, segment, at.bytes});
                }
                if (at.bytes <= whole_up_to) candidates.emplace_back(&at, MeasureCase{algorithm, 0, at.bytes});
            }
        }
        measure("coarse", candidates, first_repetitions());
    }

    /// The segment sizes so many steps of the ladder from the algorithm's best there.
    [[nodiscard]] std::vector<std::size_t> around(const AtSize& at, const std::string& algorithm,
                                                  std::size_t ladder_steps) const {
        const std::vector<std::size_t> ladder = segment_ladder(algorithm, at.bytes);
        const SizeChoice own = best_on_ladder(at, algorithm);
        if (own.cost_us.samples == 0 || ladder.size() < 2) return {};
        // A size that is not on the ladder (a model's) has its neighbours there; one piece is its end.
        const std::size_t segment = own.choice.segment_bytes;
        const auto place =
            segment == 0 ? ladder.end() - 1 : std::lower_bound(ladder.begin(), ladder.end() - 1, segment);
        const std::ptrdiff_t index = place - ladder.begin();
        const auto steps = static_cast<std::ptrdiff_t>(ladder_steps);
        std::vector<std::size_t> found;
        for (const std::ptrdiff_t next : {index - steps, index + steps}) {
            if (next < 0 || next >= static_cast<std::ptrdiff_t>(ladder.size())) continue;
            found.push_back(ladder[static_cast<std::size_t>(next)]);
        }
        return found;
    }

    /// Climbs down the curve of segment sizes of those that may still win, in steps of a factor of 2, then of some
    /// 1.4, then, where times are exact, finer ones, until no neighbour is better.
    void refine() {
        for (AtSize& at : at_) halve(at, contender_factor);
        for (AtSize& at : at_) at.alive.resize(std::min<std::size_t>(at.alive.size(), 2));
        for (std::size_t steps = ladder_steps_to_double; steps >= finest_steps(); steps /= 2) {
            if (steps < ladder_steps_to_double / 2) {
                for (AtSize& at : at_) halve(at, close_factor);
            }
            constexpr int most_rounds = 8;
            for (int round = 0; round < most_rounds && !sampler_.out_of_time(); ++round) {
                std::vector<std::pair<AtSize*, MeasureCase>> candidates;
                for (AtSize& at : at_) {
                    for (const std::string& algorithm : at.alive) {
                        for (const std::size_t segment : around(at, algorithm, steps)) {
                            const MeasureCase one{algorithm, segment, at.bytes};
                            if (!contains(at.tried, one)) candidates.emplace_back(&at, one);
                        }
                    }
                }
                if (candidates.empty()) break;
                measure("refine", candidates, first_repetitions());
            }
        }
    }

    /// Small messages in segments of a small frame, which are below the ladder: its steps would not lead there. These
    /// take next to no time, so they come before the long climbs.
    void frames() {
        std::vector<std::pair<AtSize*, MeasureCase>> candidates;
        for (AtSize& at : at_) {
            if (at.bytes <= frame_segment_bytes || at.bytes > most_in_frames_bytes) continue;
            const double most_us = hopeless_factor * best(at).cost_us.median;
            for (const std::string& algorithm : settings_.algorithms) {
                const MeasureCase one{algorithm, frame_segment_bytes, at.bytes};
                const SizeChoice own = best_of(at, algorithm);
                if (segment_ladder(algorithm, at.bytes).size() < 2 || contains(at.tried, one)) continue;
                if (own.cost_us.samples > 0 && own.cost_us.median <= most_us) candidates.emplace_back(&at, one);
            }
        }
        measure("frames", candidates, first_repetitions());
    }

    /// Measures those again that may be the best, until the best is known, or all have so many repetitions.
    void confirm(int most_repetitions) {
        if (settings_.exact) return;
        for (int repetitions = 2 * first_repetitions(); repetitions <= most_repetitions; repetitions *= 2) {
            std::vector<MeasureCase> cases;
            for (const AtSize& at : at_) {
                const SizeChoice winner = best(at);
                if (winner.cost_us.samples == 0) continue;
                for (const MeasureCase& one : at.tried) {
                    const Estimate cost = sampler_.cost_us(one);
                    if (cost.samples == 0 || !may_win(winner.cost_us, cost)) continue;
                    if (relative_half_width(cost) > settings_.tight) cases.push_back(one);
                }
            }
            if (cases.empty() || sampler_.out_of_time()) return;
            take("confirm", cases, repetitions);
        }
    }

    /// In what time is left.
    [[nodiscard]] std::vector<SizeChoice> confirmed(std::vector<SizeChoice> choices) {
        confirm(settings_.most_repetitions);
        for (SizeChoice& choice : choices) {
            for (const AtSize& at : at_) {
                if (at.bytes == choice.choice.message_bytes) choice = choice_at(at);
            }
        }
        return prefer_neighbours(std::move(choices));
    }

    /// While there are too few samples for bounds, medians that are close decide.
    [[nodiscard]] static bool may_win(const Estimate& winner, const Estimate& cost) {
        const bool close = cost.median <= 1.15 * winner.median;
        return close && cost.low <= winner.high;
    }

    /// A size takes over its larger neighbour's choice where that is nearly as good: a shorter table. Native is never
    /// given up for that, nor taken.
    [[nodiscard]] std::vector<SizeChoice> prefer_neighbours(std::vector<SizeChoice> choices) const {
        for (std::size_t i = choices.size() - 1; i-- > 0;) {
            SizeChoice& own = choices[i];
            const MeasureCase& next = choices[i + 1].choice;
            if (own.choice.algorithm == native || next.algorithm == native) continue;
            const MeasureCase same = next.at(own.choice.message_bytes);
            const Estimate cost = sampler_.cost_us(same);
            if (cost.samples > 0 && cost.median <= (1 + settings_.nearly) * own.cost_us.median) {
                own.choice = same;
                own.cost_us = cost;
            }
        }
        return choices;
    }

    /// Halves every interval of message sizes at whose ends the choices differ, down to a ratio of closest_sizes, by
    /// measuring both ends' choices in its middle, and the model's. Where the ends agree and the model knows better in
    /// between, that is looked at, too.
    [[nodiscard]] std::vector<SizeChoice> cross_overs(std::vector<SizeChoice> choices) {
        while (!sampler_.out_of_time()) {
            std::vector<std::pair<AtSize, std::size_t>> middles;  // with the place before which each belongs
            std::vector<MeasureCase> cases;
            for (std::size_t i = 1; i < choices.size(); ++i) {
                const AtSize middle = middle_of(choices[i - 1].choice, choices[i].choice);
                if (middle.bytes <= choices[i - 1].choice.message_bytes) continue;
                cases.insert(cases.end(), middle.tried.begin(), middle.tried.end());
                middles.emplace_back(middle, i);
            }
            if (middles.empty()) break;
            take("cross-overs", cases, settings_.exact ? 1 : 2 * first_repetitions());
            for (auto middle = middles.rbegin(); middle != middles.rend(); ++middle) {
                const SizeChoice choice = choice_at(middle->first);
                result_.tried += middle->first.tried.size();
                if (choice.cost_us.samples == 0) return choices;
                choices.insert(choices.begin() + static_cast<std::ptrdiff_t>(middle->second), choice);
            }
        }
        return choices;
    }

    /// The size between two neighbours that is to be looked at, with what to try there; of 0 bytes if there is none.
    [[nodiscard]] AtSize middle_of(const MeasureCase& below, const MeasureCase& above) {
        AtSize middle;
        if (ratio(below.message_bytes, above.message_bytes) <= settings_.closest_sizes) return middle;
        const bool same = below.is_alike(above);
        middle.bytes =
            same ? promising_size(below.message_bytes, above) : between(below.message_bytes, above.message_bytes, 0.5);
        if (middle.bytes == 0) return middle;
        if (same) looked_below_.insert({middle.bytes, above.message_bytes});
        std::vector<MeasureCase> choices{below, above, {native, 0, 0}};
        if (settings_.predicted) choices.push_back(settings_.predicted(middle.bytes));
        for (const MeasureCase& choice : choices) {
            const MeasureCase one = choice.at(middle.bytes);
            if (!contains(middle.tried, one)) middle.tried.push_back(one);
        }
        return middle;
    }

    /// Where, between the size below and that of `above`, the model's choice is most ahead of this choice by prices;
    /// 0 if it is nowhere much, or has been looked at: the model may be wrong.
    [[nodiscard]] std::size_t promising_size(std::size_t below, const MeasureCase& above) const {
        if (!settings_.predicted || !settings_.price_us || looked_below_.count(above.message_bytes) > 0) return 0;
        std::size_t found = 0;
        double most_ahead = promising_factor;
        for (const double share : {0.25, 0.5, 0.75}) {
            const std::size_t bytes = between(below, above.message_bytes, share);
            if (ratio(below, bytes) < settings_.closest_sizes) continue;
            const double least_us = settings_.price_us(settings_.predicted(bytes), {});
            const double own_us = settings_.price_us(above.at(bytes), {});
            if (least_us <= 0 || own_us <= most_ahead * least_us) continue;
            most_ahead = own_us / least_us;
            found = bytes;
        }
        return found;
    }

    [[nodiscard]] static double ratio(std::size_t small, std::size_t large) {
        return static_cast<double>(large) / static_cast<double>(small);
    }

    /// So far from the smaller to the larger, as ratios go: 0.5 is the geometric mean. Rounded down to a multiple of a
    /// sixteenth of the smaller.
    [[nodiscard]] static std::size_t between(std::size_t small, std::size_t large, double share) {
        const double wanted = static_cast<double>(small) * std::pow(ratio(small, large), share);
        const std::size_t grain = std::max<std::size_t>(1, small / 16);
        return static_cast<std::size_t>(wanted) / grain * grain;
    }

    Sampler& sampler_;
    const SearchSettings& settings_;
    std::vector<AtSize> at_;
    std::vector<MeasureCase> told_;
    std::set<std::size_t> looked_below_;  ///< message sizes: between them and the next smaller one the model was asked
    SearchResult result_;
};

}  // namespace

std::vector<std::size_t> segment_ladder(const std::string& algorithm, std::size_t message_bytes) {
    std::vector<std::size_t> ladder;
    if (takes_segments(algorithm)) {
        for (std::size_t octave = smallest_segment; octave < message_bytes; octave *= 2) {
            for (std::size_t step = 0; step < ladder_steps_to_double; ++step) {
                const std::size_t segment = octave + octave / ladder_steps_to_double * step;
                if (segment < message_bytes && message_bytes / segment <= most_segments) ladder.push_back(segment);
            }
        }
    }
    ladder.push_back(0);
    return ladder;
}

SearchResult search(Sampler& sampler, const SearchSettings& settings) {
    return Search(sampler, settings).run();
}

}  // namespace bcastgen
