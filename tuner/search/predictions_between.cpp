#include "tuner/search/predictions_between.hpp"

#include <array>
#include <bit>
#include <cstddef>

#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/search/priced_segments.hpp"

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

/// What the model says of choices, beside what was measured of them.
class Model {
  public:
    Model(const SearchSettings& settings, const Sampler& sampler) : settings_(settings), sampler_(sampler) {}

    /// By prices; false where either has none.
    [[nodiscard]] bool is_no_slower(const MeasureCase& one, const MeasureCase& other, std::size_t above) const {
        const double one_us = settings_.price_us(one, above);
        const double other_us = settings_.price_us(other, above);
        return one_us > 0 && other_us > 0 && one_us <= other_us;
    }

    /// Whether it would choose the same at that size, but for segments that are quicker by its prices too, or what was
    /// measured to be nearly as quick.
    [[nodiscard]] bool agrees(const MeasureCase& choice) const {
        constexpr double nearly = 1.05;
        if (!settings_.predicted) return false;
        const MeasureCase predicted = settings_.predicted(choice.message_bytes);
        if (predicted.is_alike(choice)) return true;
        if (predicted.algorithm == choice.algorithm &&
            settings_.price_us(choice, {}) < settings_.price_us(predicted, {})) {
            return true;
        }
        const Estimate predicted_us = sampler_.cost_us(predicted);
        const Estimate choice_us = sampler_.cost_us(choice);
        return !is_native(choice.algorithm) && predicted_us.samples > 0 && choice_us.samples > 0 &&
               predicted_us.median <= nearly * choice_us.median;
    }

    /// Its choice at the size of one that was found at one of these two sizes, or that one. Where it agrees at both,
    /// its choice stands unless the other is quicker; where it does not, the other, unless its own is.
    [[nodiscard]] MeasureCase or_predicted(const MeasureCase& found, std::size_t above,
                                           const std::array<MeasureCase, 2>& ends, bool agrees_at_ends) const {
        if (!settings_.predicted) return found;
        const MeasureCase predicted = settings_.predicted(found.message_bytes);
        if (predicted.is_alike(found) || beats(predicted, found, above)) return predicted;
        if (is_native(predicted.algorithm)) return found;
        if (is_native(found.algorithm)) return agrees_at_ends ? predicted : found;
        if (agrees_at_ends) return is_quicker(found, predicted, above, ends) ? found : predicted;
        const bool are_known = error_at(ends, found) > 0 && error_at(ends, predicted) > 0;
        return are_known && is_quicker(predicted, found, above, ends) ? predicted : found;
    }

    /// The choice above the others in segments that are quicker: in those of the last of them, where no others are
    /// clearly better, for that saves a rule.
    [[nodiscard]] MeasureCase in_quicker_segments(const MeasureCase& choice, const Choices& others,
                                                  const std::array<MeasureCase, 2>& ends) const {
        if (!settings_.predicted) return choice;
        const std::size_t above = others.above();
        const MeasureCase cheapest = in_cheapest_segments(choice, settings_, above);
        const MeasureCase found = is_quicker(cheapest, choice, above, ends) ? cheapest : choice;
        if (others.all().empty() || others.all().back().algorithm != choice.algorithm) return found;
        const MeasureCase last = others.all().back().at(choice.message_bytes);
        return is_quicker(found, last, above, ends) ? found : last;
    }

    /// What is chosen at a size that was measured, where cases are measured as rules take them that begin at half their
    /// size: if a rule that begins later is quicker, the model's choice has its say, by its measured time where it has
    /// one.
    [[nodiscard]] MeasureCase or_narrowly_predicted(const MeasureCase& choice, std::size_t above) const {
        constexpr double narrow_gain = 1.01;
        if (!settings_.predicted) return choice;
        const MeasureCase predicted = settings_.predicted(choice.message_bytes);
        const bool gains = settings_.price_us(predicted, {}) > narrow_gain * settings_.price_us(predicted, above);
        if (!gains) return choice;
        const double predicted_us = measured_us(predicted, above);
        const double choice_us = measured_us(choice, above);
        const bool was_measured = predicted_us > 0 && choice_us > 0;
        if (was_measured) return predicted_us < choice_us ? predicted : choice;
        return beats(predicted, choice, above) ? predicted : choice;
    }

  private:
    [[nodiscard]] bool beats(const MeasureCase& one, const MeasureCase& other, std::size_t above) const {
        return settings_.beats && settings_.beats(one, other, above);
    }

    /// By prices that are off as they were at these sizes, clearly; not at all where that was not seen.
    [[nodiscard]] bool is_quicker(const MeasureCase& one, const MeasureCase& other, std::size_t above,
                                  const std::array<MeasureCase, 2>& ends) const {
        constexpr double gain = 1.01;
        const auto expected_us = [&](const MeasureCase& either) {
            const double error = error_at(ends, either);
            return settings_.price_us(either, above) * (error > 0 ? error : 1);
        };
        const double one_us = expected_us(one);
        return one_us > 0 && gain * one_us < expected_us(other);
    }

    /// What the algorithm took at one of these sizes over its price: in the same segments, if that was measured, and at
    /// the first size, if it was there. 0 if it was not measured at either.
    [[nodiscard]] double error_at(const std::array<MeasureCase, 2>& sizes, const MeasureCase& one) const {
        double found = 0;
        for (const MeasureCase& size : sizes) {
            for (const MeasureCase& measured :
                 {one.at(size.message_bytes), size, settings_.predicted(size.message_bytes)}) {
                const Estimate cost = sampler_.cost_us(measured);
                const double price_us = settings_.price_us(measured, {});
                if (measured.algorithm != one.algorithm || cost.samples == 0 || price_us <= 0) continue;
                if (measured.segment_bytes == one.segment_bytes) return cost.median / price_us;
                if (found == 0) found = cost.median / price_us;
            }
        }
        return found;
    }

    /// What was measured of a case, and would have been by a rule for messages above so many bytes: prices of one
    /// algorithm are off alike. 0 if nothing was.
    [[nodiscard]] double measured_us(const MeasureCase& one, std::size_t above) const {
        const Estimate cost = sampler_.cost_us(one);
        if (cost.samples == 0) return 0;
        const double as_measured_us = settings_.price_us(one, {});
        return as_measured_us > 0 ? cost.median * settings_.price_us(one, above) / as_measured_us : cost.median;
    }

    const SearchSettings& settings_;
    const Sampler& sampler_;
};

/// The choices above one neighbour up to the other, each at the largest size that is looked at and that it is for.
std::vector<MeasureCase> above_up_to(const MeasureCase& below, const MeasureCase& measured_above, const Model& model,
                                     const SearchSettings& settings) {
    const double ratio = static_cast<double>(measured_above.message_bytes) / static_cast<double>(below.message_bytes);
    const std::vector<std::size_t> looks = looks_between(below.message_bytes, measured_above.message_bytes);
    const MeasureCase above =
        model.or_narrowly_predicted(measured_above, looks.empty() ? below.message_bytes : looks.back());
    Choices found(below.message_bytes, settings);
    const bool is_trusted = model.agrees(below) && model.agrees(above);
    bool goes_on = ratio > settings.closest_sizes && !below.is_alike(above);  // the smaller one's choice
    for (const std::size_t bytes : looks) {
        goes_on = goes_on && model.is_no_slower(below.at(bytes), above.at(bytes), found.above());
        const MeasureCase own = (goes_on ? below : above).at(bytes);
        const std::array<MeasureCase, 2> ends{above, below};
        const MeasureCase choice = model.or_predicted(own, found.above(), ends, is_trusted);
        found.add(model.in_quicker_segments(choice, found, ends));
    }
    found.add(above);
    return found.all();
}

SizeChoice with_measured(const MeasureCase& one, const Sampler& sampler) {
    const Estimate cost_us = sampler.cost_us(one);
    if (cost_us.samples == 0) return {one, {}, {}};
    return {one, cost_us, sampler.cost_us({measured::native, 0, one.message_bytes})};
}

}  // namespace

std::vector<SizeChoice> with_predictions_between(const std::vector<SizeChoice>& choices, const SearchSettings& settings,
                                                 const Sampler& sampler) {
    if (!settings.price_us || choices.empty()) return choices;
    const Model model(settings, sampler);
    std::vector<SizeChoice> all{choices.front()};
    for (std::size_t i = 1; i < choices.size(); ++i) {
        for (const MeasureCase& one : above_up_to(all.back().choice, choices[i].choice, model, settings)) {
            all.push_back(one == choices[i].choice ? choices[i] : with_measured(one, sampler));
        }
    }
    return all;
}

}  // namespace bcastgen
