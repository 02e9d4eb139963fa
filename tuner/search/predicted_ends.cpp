#include "tuner/search/predicted_ends.hpp"

#include <cmath>
#include <cstddef>

namespace bcastgen {

namespace {

constexpr int looks_between = 16;  // sizes that are looked at between two neighbours, evenly by ratio

/// The largest size between two for which the smaller one's choice is still the quicker by prices; 0 if none is.
std::size_t end_between(const MeasureCase& below, const MeasureCase& above, const SearchSettings& settings) {
    const double ratio = static_cast<double>(above.message_bytes) / static_cast<double>(below.message_bytes);
    std::size_t end = 0;
    for (int step = 1; step < looks_between; ++step) {
        const double exact = static_cast<double>(below.message_bytes) * std::pow(ratio, step / double{looks_between});
        const auto bytes = static_cast<std::size_t>(exact);
        const double below_us = settings.price_us({below.algorithm, below.segment_bytes, bytes});
        const double above_us = settings.price_us({above.algorithm, above.segment_bytes, bytes});
        if (below_us <= 0 || above_us <= 0 || below_us > above_us) break;
        if (bytes > below.message_bytes) end = bytes;
    }
    return end;
}

}  // namespace

std::vector<SizeChoice> with_predicted_ends(const std::vector<SizeChoice>& choices, const SearchSettings& settings) {
    if (!settings.price_us) return choices;
    std::vector<SizeChoice> all;
    for (const SizeChoice& choice : choices) {
        if (!all.empty()) {
            const MeasureCase below = all.back().choice;
            const MeasureCase& above = choice.choice;
            const bool alike = below.algorithm == above.algorithm && below.segment_bytes == above.segment_bytes;
            const bool near = static_cast<double>(above.message_bytes) <=
                              settings.closest_sizes * static_cast<double>(below.message_bytes);
            const std::size_t end = alike || near ? 0 : end_between(below, above, settings);
            if (end > 0) all.push_back({{below.algorithm, below.segment_bytes, end}, {}, {}});
        }
        all.push_back(choice);
    }
    return all;
}

}  // namespace bcastgen
