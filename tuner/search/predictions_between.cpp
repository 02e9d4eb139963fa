#include "tuner/search/predictions_between.hpp"

#include <cmath>
#include <cstddef>

namespace bcastgen {

namespace {

constexpr int looks_between = 16;  // sizes that are looked at between two neighbours, evenly by ratio

/// By prices; false where either has none.
bool is_no_slower(const MeasureCase& one, const MeasureCase& other, const SearchSettings& settings) {
    const double one_us = settings.price_us(one);
    const double other_us = settings.price_us(other);
    return one_us > 0 && other_us > 0 && one_us <= other_us;
}

/// The choices between two neighbours, each at the largest size that is looked at and that it is for; without the last
/// if that is the larger neighbour's.
std::vector<MeasureCase> between(const MeasureCase& below, const MeasureCase& above, const SearchSettings& settings) {
    const double ratio = static_cast<double>(above.message_bytes) / static_cast<double>(below.message_bytes);
    std::vector<MeasureCase> found;
    bool goes_on = !below.is_alike(above);  // the smaller one's choice
    for (int step = 1; step < looks_between; ++step) {
        const double exact = static_cast<double>(below.message_bytes) * std::pow(ratio, step / double{looks_between});
        const auto bytes = static_cast<std::size_t>(exact);
        if (bytes == below.message_bytes) continue;
        goes_on = goes_on && is_no_slower(below.at(bytes), above.at(bytes), settings);
        MeasureCase choice = (goes_on ? below : above).at(bytes);
        if (settings.predicted && settings.beats) {
            const MeasureCase predicted = settings.predicted(bytes);
            if (!predicted.is_alike(choice) && settings.beats(predicted, choice)) choice = predicted;
        }
        if (!found.empty() && found.back().is_alike(choice)) found.pop_back();
        found.push_back(choice);
    }
    if (!found.empty() && found.back().is_alike(above)) found.pop_back();
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
