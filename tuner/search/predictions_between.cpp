#include "tuner/search/predictions_between.hpp"

#include <bit>
#include <cstddef>

#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

/// Sizes between two others of at least a byte, some 16: those that divide every doubling from one power of two to the
/// next into 16 equal parts, or into 8, 4, 2 or none if the two are more than 2, 4, 16 or 256 times apart. Ranges of
/// predicted tables end at such.
std::vector<std::size_t> looks_between(std::size_t below, std::size_t above) {
    constexpr std::size_t most_parts = 16;
    std::size_t parts = most_parts;
    for (std::size_t doubled = 2 * below; doubled < above && parts > 1; doubled *= doubled / below) parts /= 2;
    std::vector<std::size_t> looks;
    for (std::size_t octave = std::bit_floor(below); octave < above; octave *= 2) {
        for (std::size_t part = 0; part < parts; ++part) {
            const std::size_t bytes = octave + octave * part / parts;
            const std::size_t last = looks.empty() ? below : looks.back();
            if (bytes > last && bytes < above) looks.push_back(bytes);
        }
    }
    return looks;
}

/// By prices; false where either has none.
bool is_no_slower(const MeasureCase& one, const MeasureCase& other, std::size_t above, const SearchSettings& settings) {
    const double one_us = settings.price_us(one, above);
    const double other_us = settings.price_us(other, above);
    return one_us > 0 && other_us > 0 && one_us <= other_us;
}

/// The choices above a size, each at the largest size that it is for.
class Choices {
  public:
    Choices(std::size_t above, const SearchSettings& settings) : settings_(settings), above_(above), begin_(above) {}

    /// Up to where the last one is for.
    [[nodiscard]] std::size_t above() const { return above_; }

    void add(const MeasureCase& choice) {
        if (goes_on_to(choice)) {
            found_.pop_back();
        } else {
            begin_ = above_;
        }
        found_.push_back(choice);
        above_ = choice.message_bytes;
    }

    [[nodiscard]] const std::vector<MeasureCase>& all() const { return found_; }

  private:
    /// Whether one rule does for the last and for this one.
    [[nodiscard]] bool goes_on_to(const MeasureCase& choice) const {
        if (found_.empty() || !found_.back().is_alike(choice)) return false;
        return !settings_.may_join || settings_.may_join(rule_of(choice), above_, begin_);
    }

    const SearchSettings& settings_;
    std::vector<MeasureCase> found_;
    std::size_t above_;
    std::size_t begin_;  ///< of the last one's messages
};

/// Whether the model would choose the same at that size.
bool agrees(const MeasureCase& choice, const SearchSettings& settings) {
    return settings.predicted && settings.predicted(choice.message_bytes).is_alike(choice);
}

/// The model's choice at the size of another one where it beats that by prices, else that one.
MeasureCase or_predicted(const MeasureCase& choice, std::size_t above, const SearchSettings& settings) {
    if (!settings.predicted || !settings.beats) return choice;
    const MeasureCase predicted = settings.predicted(choice.message_bytes);
    return !predicted.is_alike(choice) && settings.beats(predicted, choice, above) ? predicted : choice;
}

/// The same at a size that was measured, where cases are measured as rules take them that begin at half their size: the
/// model's choice has its say if a rule that begins later is quicker.
MeasureCase or_narrowly_predicted(const MeasureCase& choice, std::size_t above, const SearchSettings& settings) {
    constexpr double narrow_gain = 1.01;
    const MeasureCase other = or_predicted(choice, above, settings);
    const bool gains = settings.price_us(other, {}) > narrow_gain * settings.price_us(other, above);
    return gains ? other : choice;
}

/// The choices above one neighbour up to the other, each at the largest size that is looked at and that it is for.
std::vector<MeasureCase> above_up_to(const MeasureCase& below, const MeasureCase& above,
                                     const SearchSettings& settings) {
    const double ratio = static_cast<double>(above.message_bytes) / static_cast<double>(below.message_bytes);
    Choices found(below.message_bytes, settings);
    const bool is_trusted = agrees(below, settings) && agrees(above, settings);
    bool goes_on = ratio > settings.closest_sizes && !below.is_alike(above);  // the smaller one's choice
    for (const std::size_t bytes : looks_between(below.message_bytes, above.message_bytes)) {
        goes_on = goes_on && is_no_slower(below.at(bytes), above.at(bytes), found.above(), settings);
        const MeasureCase own = (goes_on ? below : above).at(bytes);
        const MeasureCase trusted = is_trusted ? settings.predicted(bytes) : own;
        found.add(is_native(trusted.algorithm) ? own : or_predicted(trusted, found.above(), settings));
    }
    found.add(or_narrowly_predicted(above, found.above(), settings));
    return found.all();
}

}  // namespace

std::vector<SizeChoice> with_predictions_between(const std::vector<SizeChoice>& choices,
                                                 const SearchSettings& settings) {
    if (!settings.price_us || choices.empty()) return choices;
    std::vector<SizeChoice> all{choices.front()};
    for (std::size_t i = 1; i < choices.size(); ++i) {
        const SizeChoice& measured = choices[i];
        for (const MeasureCase& one : above_up_to(all.back().choice, measured.choice, settings)) {
            all.push_back(one == measured.choice ? measured : SizeChoice{one, {}, {}});
        }
    }
    return all;
}

}  // namespace bcastgen
