#include "tuner/search/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "base/hostlist.hpp"
#include "base/outside_failure.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/search/found_table.hpp"
#include "tuner/search/model_error.hpp"
#include "tuner/search/send_times.hpp"

namespace bcastgen {

namespace {

constexpr double usual_validating_share = 0.25;  // of the budget is kept for validation
constexpr double exact_validating_share = 0.15;  // where most of it has been measured by then
constexpr double most_validating_share = 0.6;    // where native takes so long that it needs more
constexpr double weight_of_largest = 4;          // all machines get so many times the time of a smaller set
constexpr double weight_of_rest = 0.05;          // beside a workload: of shapes and sizes that it does not have
constexpr bcast::Algorithm hands_on_alone = bcast::usual::chain;  // stands for all trees within one machine
constexpr double both_confidence = 0.975;  // of each median, so that their ratio's bounds hold at 95 %

/// What validation takes at first: native and something that is seldom slower at every size, between each two, and
/// above the last.
double validation_s(const Sampler& sampler, const std::vector<std::size_t>& sizes) {
    double native_us = 0;
    double smaller_us = 0;
    for (const std::size_t bytes : sizes) {
        const double own_us = sampler.cost_us({measured::native, 0, bytes}).median;
        native_us += own_us + (smaller_us + own_us) / 2;
        smaller_us = own_us;
    }
    native_us += 1.5 * smaller_us;
    constexpr double and_warm_up = 1;
    return 2e-6 * native_us * (ValidationSettings{}.first_repetitions + and_warm_up);
}

/// A shape, what was found for it, and what came of it.
struct Work {
    Shape shape;
    double weight = 1;
    SearchResult found;
    std::vector<std::vector<Verdict>> verdicts;  ///< by set of machines
    std::vector<Placement> placements;
    int lowest = 2;  ///< as in ValidatedShape
    Placement lowest_placement;
    std::vector<Verdict> lowest_verdicts;  ///< of the same trials; none if it is for no fewer machines
};

class Tuning {
  public:
    Tuning(const Measuring& measuring, TuningStore& store, std::int64_t run, const TuneRequest& request,
           const TuneKnowledge& knowledge, Clock::time_point begin)
        : measuring_(measuring),
          store_(store),
          run_(run),
          request_(request),
          knowledge_(knowledge),
          begin_(begin),
          ledger_(store, run) {
        measuring_.on_sample = [this] { show_progress(); };
    }
    Tuning(const Tuning&) = delete;
    Tuning& operator=(const Tuning&) = delete;

    TuneResult run() {
        list_work();
        measure_sends();
        for (Work& work : work_) search_shape(work);
        if (std::all_of(work_.begin(), work_.end(), [](const Work& work) { return !is_measured(work); })) {
            throw OutsideFailure("the time budget ended before anything was measured; give more with --time-budget");
        }
        for (Work& work : work_) validate_shape(work);
        for (Work& work : work_) validate_lowest(work);
        conclude();
        return std::move(result_);
    }

  private:
    /// The largest sets first: they matter most if time runs out.
    void list_work() {
        for (const std::string& arrival : request_.arrivals) {
            for (const int ranks : request_.ranks_per_machine) {
                for (auto count = request_.machine_counts.rbegin(); count != request_.machine_counts.rend(); ++count) {
                    if (*count == 1 && ranks == 1) continue;
                    const bool largest = count == request_.machine_counts.rbegin();
                    Work work;
                    work.shape = {*count, ranks, arrival};
                    work.weight = request_.like.jobs > 0 ? weight_in_workload(*count, ranks)
                                  : largest              ? weight_of_largest
                                                         : 1;
                    work_.push_back(std::move(work));
                }
            }
        }
        std::stable_sort(work_.begin(), work_.end(), [](const Work& a, const Work& b) { return a.weight > b.weight; });
        for (Work& work : work_) {
            const int count = work.shape.machines;
            work.placements.push_back(near_placement(measuring_.network, request_.machines, measuring_.root, count));
            Placement spread = spread_placement(measuring_.network, request_.machines, measuring_.root, count);
            if (spread.machines != work.placements.front().machines) work.placements.push_back(std::move(spread));
            work.lowest = std::max(std::min(2, count), count / 2 + 1);
            for (const int smaller : request_.machine_counts) {
                if (smaller < count) work.lowest = std::max(work.lowest, smaller + 1);
            }
            work.lowest_placement = near_placement(measuring_.network, request_.machines, measuring_.root, work.lowest);
        }
    }

    /// First of all, since latency trees are planned by it.
    void measure_sends() {
        const Placement placement = send_times_machines(measuring_.network, request_.machines, measuring_.root);
        if (placement.machines.empty()) return;
        tell(fmt::format("sends of one byte among {}", counted(placement.machines.size(), "machine", "machines")));
        store_.set_placement(run_, static_cast<int>(placement.machines.size()), placement.name, hostlist_of(placement));
        const std::optional<MeasuredSends> sends =
            measure_send_times(measuring_, ledger_, placement, deadline(1, 1 - validating_share()));
        if (!sends) return;
        measuring_.sends = {sends->times.overhead_ns, sends->times.latency_ns, sends->times.answer_ns,
                            sends->times.receive_ns};
        result_.table.sends = sends->times;
        result_.table.send_bounds = sends->bounds;
    }

    [[nodiscard]] static bool is_measured(const Work& work) {
        return std::any_of(work.found.choices.begin(), work.found.choices.end(),
                           [](const SizeChoice& choice) { return choice.native_us.samples > 0; });
    }

    [[nodiscard]] static std::string in_words(const Shape& shape) {
        return counted(shape.machines, "machine", "machines") +
               (shape.ranks_per_machine > 1 ? fmt::format(" x {} ranks", shape.ranks_per_machine) : "") +
               (shape.arrival == "balanced" ? "" : ", " + shape.arrival);
    }

    [[nodiscard]] double validating_share() const {
        return measuring_.exact ? exact_validating_share : usual_validating_share;
    }

    /// When the work must end that is to have this share of what is left until `end`.
    [[nodiscard]] Clock::time_point deadline(double share, double until) const {
        if (request_.budget_s <= 0) return Clock::time_point::max();
        const auto end = begin_ + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(until * request_.budget_s));
        const auto now = Clock::now();
        if (end <= now) return now;
        return now + std::chrono::duration_cast<Clock::duration>(share * (end - now));
    }

    /// When a shape's search must end that began at `begun`, now that it is known what native takes: validation is
    /// worth nothing if it has too few samples of everything.
    [[nodiscard]] Clock::time_point reserve_validation(const Work& work, Clock::time_point begun,
                                                       const Sampler& sampler) {
        const std::chrono::duration<double> spent = begun - begin_;
        const double own_s = share_of(work) * std::max(0.0, request_.budget_s - spent.count() - reserved_s_);
        const auto sets = static_cast<double>(work.placements.size() + (work.lowest < work.shape.machines ? 1 : 0));
        const double needed_s = sets * validation_s(sampler, request_.sizes);
        const double kept_s = std::clamp(needed_s, validating_share() * own_s, most_validating_share * own_s);
        reserved_s_ += kept_s;
        return begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(own_s - kept_s));
    }

    [[nodiscard]] double share_of(const Work& work) const {
        double left = 0;
        for (auto at = &work; at != work_.data() + work_.size(); ++at) left += at->weight;
        return work.weight / left;
    }

    [[nodiscard]] std::string hostlist_of(const Placement& placement) const {
        std::vector<std::string> names;
        for (const int machine : placement.machines) {
            names.push_back(measuring_.network.machines[static_cast<std::size_t>(machine)].name);
        }
        return fold_hostlist(names);
    }

    void tell(const std::string& line) const {
        if (knowledge_.on_step) knowledge_.on_step(line);
    }

    /// `done`: of the shape's own work, a fraction.
    void progress(const Work& work, double from, double share, double done) {
        double all = 0;
        double before = 0;
        for (const Work& one : work_) {
            if (&one == &work) before = all;
            all += one.weight;
        }
        done_ = from + share * (before + done * work.weight) / all;
        show_progress();
    }

    /// Of the work or of the time, whichever is further.
    void show_progress() const {
        if (!knowledge_.on_progress) return;
        const double spent_s = std::chrono::duration<double>(Clock::now() - begin_).count();
        const double by_time = request_.budget_s > 0 ? spent_s / request_.budget_s : 0;
        knowledge_.on_progress(std::min(1.0, std::max(done_, by_time)));
    }

    void search_shape(Work& work) {
        const Shape& shape = work.shape;
        JobSampler sampler(measuring_, ledger_, shape, work.placements.front(), false,
                           deadline(share_of(work), 1 - validating_share()));
        for (const Placement& placement : work.placements) {
            store_.set_placement(run_, shape.machines, placement.name, hostlist_of(placement));
        }
        SearchSettings settings;
        settings.sizes = request_.sizes;
        for (const std::string& algorithm : request_.algorithms) {
            // They are made for ranks that come one after the other.
            const std::optional<bcast::Algorithm> known = algorithm_called(algorithm);
            const bool for_imbalance = known && bcast::is_arrival_aware(*known);
            if (shape.arrival != "imbalanced" && for_imbalance) continue;
            // Within one machine there is nothing but how its leader hands on.
            if (shape.machines == 1 && !(known && *known == hands_on_alone)) continue;
            settings.algorithms.push_back(algorithm);
            if (!known || shape.ranks_per_machine == 1 || !bcast::uses_trees(*known)) continue;
            for (const bcast::HandOn way : {bcast::HandOn::window, bcast::HandOn::native}) {
                settings.algorithms.push_back(measured_name(*known, way));
            }
        }
        settings.exact = measuring_.exact && shape.arrival == "balanced";
        if (shape.arrival == "balanced" && shape.machines > 1) {
            settings.lower_bound_us = [&](const MeasureCase& one) { return bound_us(shape, one); };
        }
        if (knowledge_.predicted) {
            settings.predicted = [&](std::size_t bytes) { return knowledge_.predicted(shape.machines, bytes); };
        }
        std::map<std::size_t, double> stakes;
        if (is_chosen_for(shape) && knowledge_.price_us) {
            for (const std::size_t bytes : request_.sizes) stakes[bytes] = stake_of(shape, bytes);
            settings.stake = [&](std::size_t bytes) { return stakes.contains(bytes) ? stakes[bytes] : 0; };
        }
        ModelError& error = errors_[shape.ranks_per_machine];
        if (is_priced(shape)) {
            settings.price_us = [&](const MeasureCase& one, RuleBegin above) { return price_us(shape, one, above); };
            if (knowledge_.may_join) settings.may_join = std::bind_front(knowledge_.may_join, shape.machines);
            settings.hardly_less_us = [&](const MeasureCase& one) {
                return error.hardly_less_us(one.algorithm, price_us(shape, one));
            };
            settings.beats = [&](const MeasureCase& one, const MeasureCase& other, RuleBegin above) {
                return beats(shape, one, other, above);
            };
            settings.on_measured = [&](const MeasureCase& one, const Estimate& cost_us) {
                error.add(one.algorithm, price_us(shape, one), cost_us.median);
            };
        }
        constexpr double usual_steps = 10;
        double steps = 0;
        const Clock::time_point begun = Clock::now();
        bool is_reserved = measuring_.exact || request_.budget_s <= 0;
        settings.on_step = [&](const std::string& step, std::size_t cases) {
            if (steps > 0 && !is_reserved) {
                is_reserved = true;
                sampler.set_deadline(reserve_validation(work, begun, sampler));
            }
            progress(work, 0, 1 - validating_share(), std::min(1.0, steps++ / usual_steps));
            tell(fmt::format("{}: {}, {}", in_words(shape), step, counted(cases, "candidate", "candidates")));
        };
        work.found = search(sampler, settings);
        if (is_chosen_for(shape)) judge_choices(shape, sampler);
        result_.tried += work.found.tried;
        result_.pruned += work.found.pruned;
        result_.exhaustive += work.found.exhaustive;
        result_.cut_short = result_.cut_short || sampler.out_of_time();
    }

    /// What the model would have chosen, where that and native have been measured.
    void judge_choices(const Shape& shape, const Sampler& sampler) {
        for (const std::size_t bytes : request_.sizes) {
            const MeasureCase chosen = knowledge_.predicted(shape.machines, bytes);
            const Estimate chosen_us = sampler.cost_us(chosen);
            const Estimate native_us = sampler.cost_us({measured::native, 0, bytes});
            if (is_native(chosen.algorithm) || !are_enough(chosen_us) || !are_enough(native_us)) continue;
            errors_[shape.ranks_per_machine].add_choice(chosen.algorithm, chosen_us.median, native_us.median);
        }
    }

    [[nodiscard]] bool are_enough(const Estimate& cost_us) const {
        return cost_us.samples >= (measuring_.exact ? 1 : clear_samples);
    }

    /// The model chooses among ways between machines, for ranks that come together. With several ranks on a machine
    /// too: how far its choices hold there is judged apart.
    [[nodiscard]] bool is_chosen_for(const Shape& shape) const {
        return knowledge_.predicted && shape.arrival == "balanced" && shape.machines > 1;
    }

    /// Prices are for one rank a machine.
    [[nodiscard]] bool is_priced(const Shape& shape) const {
        return knowledge_.price_us && is_chosen_for(shape) && shape.ranks_per_machine == 1;
    }

    /// 0 where there is none.
    [[nodiscard]] double price_us(const Shape& shape, const MeasureCase& one, RuleBegin above = {}) const {
        return knowledge_.price_us(shape.machines, one, above).value_or(0);
    }

    [[nodiscard]] double stake_of(const Shape& shape, std::size_t bytes) const {
        const double ours_us = price_us(shape, knowledge_.predicted(shape.machines, bytes));
        if (ours_us <= 0) return 0;
        const double gain = price_us(shape, {measured::native, 0, bytes}) / ours_us;
        if (request_.like.jobs == 0) return gain;
        return gain * weight_of([&](const WorkloadCell& cell) {
                   return cell.machines == shape.machines && cell.ranks_per_machine == shape.ranks_per_machine &&
                          cell.message_bytes == bytes;
               });
    }

    [[nodiscard]] double weight_in_workload(int machines, int ranks) const {
        return weight_of(
            [&](const WorkloadCell& cell) { return cell.machines == machines && cell.ranks_per_machine == ranks; });
    }

    /// The part of the workload's time in such cells, and a little for those that it does not have.
    template <class Wanted>
    [[nodiscard]] double weight_of(Wanted wanted) const {
        double all = 0;
        double of_wanted = 0;
        for (const WorkloadCell& cell : request_.like.cells) {
            all += cell.seconds;
            if (wanted(cell)) of_wanted += cell.seconds;
        }
        return weight_of_rest + (all > 0 ? of_wanted / all : 0);
    }

    [[nodiscard]] bool is_foreseen(const Shape& shape, const Trial& trial) const {
        const auto found = errors_.find(shape.ranks_per_machine);
        if (!is_chosen_for(shape) || found == errors_.end()) return false;
        const ModelError& error = found->second;
        const MeasureCase& ours = trial.choice;
        if (is_as_predicted(shape, ours) && error.choices_hold(ours.algorithm, request_.margin)) return true;
        return is_priced(shape) && beats(shape, ours, {measured::native, 0, trial.message_bytes});
    }

    /// By prices, whatever errors they have been seen to have.
    [[nodiscard]] bool beats(const Shape& shape, const MeasureCase& one, const MeasureCase& other,
                             RuleBegin above = {}) const {
        const auto error = errors_.find(shape.ranks_per_machine);
        const double one_us = price_us(shape, one, above);
        const double other_us = price_us(shape, other, above);
        return error != errors_.end() && one_us > 0 && other_us > 0 &&
               error->second.beats({one.algorithm, one_us}, {other.algorithm, other_us}, request_.margin);
    }

    /// Whether it is what the model would choose there, or as cheap.
    [[nodiscard]] bool is_as_predicted(const Shape& shape, const MeasureCase& ours) const {
        const MeasureCase predicted = knowledge_.predicted(shape.machines, ours.message_bytes);
        if (is_native(predicted.algorithm)) return false;
        if (predicted.algorithm == ours.algorithm) return true;
        const double ours_us = is_priced(shape) ? price_us(shape, ours) : 0;
        return ours_us > 0 && ours_us <= (1 + request_.margin) * price_us(shape, predicted);
    }

    [[nodiscard]] double bound_us(const Shape& shape, const MeasureCase& one) const {
        if (!knowledge_.tree_bounds) return 0;
        const std::optional<TreeBound> tree = knowledge_.tree_bounds(one.algorithm, shape.machines);
        return tree ? lower_bound_us(*tree, knowledge_.wire, one) : 0;
    }

    void validate_shape(Work& work) {
        if (!is_measured(work) && !is_chosen_for(work.shape)) return;
        for (const Placement& placement : work.placements) {
            progress(work, 1 - validating_share(), validating_share(), 0);
            work.verdicts.push_back(verdicts_on(work, work.shape, placement));
        }
    }

    /// The rules for fewer machines than they were found with.
    void validate_lowest(Work& work) {
        if (work.verdicts.empty() || work.lowest == work.shape.machines) return;
        Shape shape = work.shape;
        shape.machines = work.lowest;
        store_.set_placement(run_, shape.machines, work.lowest_placement.name, hostlist_of(work.lowest_placement));
        work.lowest_verdicts = verdicts_on(work, shape, work.lowest_placement);
    }

    [[nodiscard]] std::vector<Verdict> verdicts_on(const Work& work, const Shape& shape, const Placement& placement) {
        const std::vector<Trial> trials = trials_of(work.found.choices);
        JobSampler sampler(measuring_, ledger_, shape, placement, true, deadline(share_of(work), 1), both_confidence);
        ValidationSettings settings;
        settings.exact = measuring_.exact && shape.arrival == "balanced";
        settings.margin = request_.margin;
        tell(fmt::format("{}: validation at {}{}", in_words(shape),
                         counted(trials.size(), "message size", "message sizes"),
                         placement.name == "near" ? "" : ", machines spread"));
        std::vector<Verdict> verdicts = validate(sampler, trials, settings);
        const bool searched = shape.machines == work.shape.machines;
        for (Verdict& verdict : verdicts) {
            verdict.instead = foreseen_instead(work, shape, verdict.trial);
            if (verdict.measured || loses_so_far(verdict)) continue;
            verdict.foreseen =
                is_foreseen(shape, verdict.trial) || (searched && is_clear(work.found.choices, verdict.trial));
        }
        return verdicts;
    }

    /// What the model takes in the place of another algorithm's choice, if that is foreseen to win on this shape.
    [[nodiscard]] std::optional<MeasureCase> foreseen_instead(const Work& work, const Shape& shape,
                                                              const Trial& trial) const {
        if (!is_chosen_for(shape) || is_native(trial.choice.algorithm)) return std::nullopt;
        const MeasureCase predicted = knowledge_.predicted(work.shape.machines, trial.message_bytes);
        if (is_native(predicted.algorithm) || predicted.algorithm == trial.choice.algorithm) return std::nullopt;
        if (!is_foreseen(shape, {trial.message_bytes, predicted, true})) return std::nullopt;
        return predicted;
    }

    [[nodiscard]] bool loses_so_far(const Verdict& verdict) const {
        return verdict.native_us.samples > 0 && verdict.chosen_us.samples > 0 &&
               verdict.native_us.median < (1 + request_.margin) * verdict.chosen_us.median;
    }

    void conclude() {
        std::vector<ValidatedShape> shapes;
        for (const std::string& arrival : request_.arrivals) {
            for (const int count : request_.machine_counts) {
                for (const int ranks : request_.ranks_per_machine) add_measured({count, ranks, arrival}, shapes);
            }
        }
        FoundTable found = found_table(shapes, request_.margin, knowledge_.may_join);
        result_.table.rules = std::move(found.rules);
        result_.table.validation = validation_of(found.validations, request_.margin);
        result_.validations = std::move(found.validations);
        result_.unvalidated = found.unvalidated;
        result_.foreseen = found.foreseen;
        store_.conclude(run_, result_.table.rules, result_.validations);
    }

    void add_measured(const Shape& shape, std::vector<ValidatedShape>& shapes) const {
        for (const Work& work : work_) {
            const bool same = work.shape.machines == shape.machines && work.shape.arrival == shape.arrival &&
                              work.shape.ranks_per_machine == shape.ranks_per_machine;
            if (!same || work.verdicts.empty()) continue;
            ValidatedShape one{shape, work.lowest, {}, work.verdicts, work.lowest_placement.name, work.lowest_verdicts};
            for (const Placement& placement : work.placements) one.placements.push_back(placement.name);
            if (is_priced(shape) && knowledge_.predicted_above) {
                one.predicted_above =
                    knowledge_.predicted_above(shape.machines, work.verdicts.front().back().trial.message_bytes);
                one.ends_as_predicted = is_as_predicted(shape, work.found.choices.back().choice);
            }
            shapes.push_back(std::move(one));
        }
    }

    Measuring measuring_;
    TuningStore& store_;
    std::int64_t run_;
    const TuneRequest& request_;
    const TuneKnowledge& knowledge_;
    Clock::time_point begin_;
    Ledger ledger_;
    std::vector<Work> work_;
    TuneResult result_;
    std::map<int, ModelError> errors_;  ///< by ranks on a machine
    double done_ = 0;                   ///< of all work, a fraction
    double reserved_s_ = 0;             ///< of the budget, for validation of what has been searched
};

}  // namespace

TuneResult tune(const Measuring& measuring, TuningStore& store, std::int64_t run, const TuneRequest& request,
                const TuneKnowledge& knowledge, Clock::time_point begin) {
    return Tuning(measuring, store, run, request, knowledge, begin).run();
}

}  // namespace bcastgen
