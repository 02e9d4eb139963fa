// Whether a table that was searched for keeps its word: chosen against native, in the same job, on and off the sizes
// that the search looked at.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "tuner/search/search.hpp"

namespace bcastgen {

/// A message size at which a table is tried, and what it says there.
struct Trial {
    std::size_t message_bytes = 0;
    MeasureCase choice;
    bool predicted = false;  ///< the search had no time for the size that this choice is for
};

/// The sizes of a search's result and one between each two, some below the first down to one byte, and one above the
/// last; each with the choice of the first size that is not below it (the last's above all).
[[nodiscard]] std::vector<Trial> trials_of(const std::vector<SizeChoice>& choices);

/// So many samples of a search say which of two is quicker where one is much quicker.
inline constexpr std::size_t clear_samples = 3;

/// Whether a search found what it chose for the sizes around the trial's so much quicker than native that few samples
/// of both are enough to believe it.
[[nodiscard]] bool is_clear(const std::vector<SizeChoice>& choices, const Trial& trial);

/// What came of a trial.
struct Verdict {
    Trial trial;
    Estimate native_us;
    Estimate chosen_us;
    bool measured = false;  ///< often enough to say how sure it is
    bool foreseen =
        false;  ///< not measured, and the search, or the model, as far off as it has been, says that it wins
    std::optional<MeasureCase> instead{};  ///< not measured either, and foreseen to win: what the model takes there

    [[nodiscard]] double speed_up() const { return measured ? native_us.median / chosen_us.median : 0; }
    /// Both bounds hold together at 95 % if those of the medians hold at 97.5 % each.
    [[nodiscard]] double speed_up_low() const { return measured ? native_us.low / chosen_us.high : 0; }
    [[nodiscard]] double speed_up_high() const;
    /// Whether it is quicker than native by the margin, and not by chance.
    [[nodiscard]] bool wins(double margin) const { return speed_up() >= 1 + margin && speed_up_low() > 1; }
    /// Whether more repetitions may change wins().
    [[nodiscard]] bool undecided(double margin) const;
};

struct ValidationSettings {
    bool exact = false;
    int first_repetitions = 8;
    int most_repetitions = 256;
    double margin = 0.02;
};

/// Measures the trials that are not native, each beside native, until all are decided or time is out.
[[nodiscard]] std::vector<Verdict> validate(Sampler& sampler, const std::vector<Trial>& trials,
                                            const ValidationSettings& settings);

/// By trial: whether it won on every set of machines. One that there was no time for on some of them is kept if it is
/// foreseen to win there, or if the next below and above it that were measured won. `verdicts` holds a list for each
/// set, all of the same trials.
[[nodiscard]] std::vector<bool> kept_trials(const std::vector<std::vector<Verdict>>& verdicts, double margin);

/// The same verdicts but for trials that nobody has had the time to decide and that nothing speaks for: where what the
/// model takes instead is foreseen to win on every set of machines, it is what the trial is of.
[[nodiscard]] std::vector<std::vector<Verdict>> with_predictions_where_open(std::vector<std::vector<Verdict>> verdicts,
                                                                            double margin);

/// MayJoin for the rules of so many machines; empty: all may.
using MayJoinAmong =
    std::function<bool(int machines, const MessageRule& rule, std::size_t own_above, std::size_t above)>;

/// The message rules that are left of the trials. A choice stands from a trial that it won to the next; around one that
/// was not won all is native, from the trial before to the trial after. Neighbours become one where they may.
[[nodiscard]] std::vector<MessageRule> surviving_rules(const std::vector<std::vector<Verdict>>& verdicts, double margin,
                                                       const MayJoin& may_join = {});

}  // namespace bcastgen
