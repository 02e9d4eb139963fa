#include "tuner/search/predictions_between.hpp"

#include <cmath>
#include <cstddef>

namespace bcastgen {

namespace {

constexpr int looks_between = 16;  // sizes that are looked at between two neighbours, evenly by ratio

bool alike(const MeasureCase& a, const MeasureCase& b) {
    return a.algorithm == b.algorithm && a.segment_bytes == b.segment_bytes;
}

/// What a choice becomes at another size.
MeasureCase at(std::size_t bytes, const MeasureCase& choice) {
    return {choice.algorithm, choice.segment_bytes, bytes};
}

/// The choices between two neighbours, each at the largest size that is looked at and that it is for; without the last
/// if that is the larger neighbour's.
std::vector<MeasureCase> between(const MeasureCase& below, const MeasureCase& above, const SearchSettings& settings) {
    const double ratio = static_cast<double>(above.message_bytes) / static_cast<double>(below.message_bytes);
    std::vector<MeasureCase> found;
    bool goes_on = true;  // the smaller one's choice
    for (int step = 1; step < looks_between; ++step) {
        const double exact = static_cast<double>(below.message_bytes) * std::pow(ratio, step / double{looks_between});
        const auto bytes = static_cast<std::size_t>(exact);
        if (bytes == below.message_bytes) continue;
        const double below_us = settings.price_us(at(bytes, below));
        const double above_us = settings.price_us(at(bytes, above));
        goes_on = goes_on && below_us > 0 && above_us > 0 && below_us <= above_us;
        MeasureCase choice = at(bytes, goes_on ? below : above);
        if (settings.predicted && settings.beats) {
            const MeasureCase predicted = settings.predicted(bytes);
            if (!alike(predicted, choice) && settings.beats(predicted, choice)) choice = predicted;
        }
        if (!found.empty() && alike(found.back(), choice)) found.pop_back();
        found.push_back(choice);
    }
    if (!found.empty() && alike(found.back(), above)) found.pop_back();
    return found;
}

}  // namespace

std::vector<SizeChoice> with_predictions_between(const std::vector<SizeChoice>& choices,
                                                 const SearchSettings& settings) {
    if (!settings.price_us) return choices;
    std::vector<SizeChoice> all;
    for (const SizeChoice& choice : choices) {
        if (!all.empty()) {
            const MeasureCase below = all.back().choice;
            const MeasureCase& above = choice.choice;
            const bool near = static_cast<double>(above.message_bytes) <=
                              settings.closest_sizes * static_cast<double>(below.message_bytes);
            if (!near) {
                for (const MeasureCase& one : between(below, above, settings)) all.push_back({one, {}, {}});
            }
        }
        all.push_back(choice);
    }
    return all;
}

}  // namespace bcastgen
