#include "tuner/search/priced_segments.hpp"

namespace bcastgen {

MeasureCase cheapest_of(const MeasureCase& one, const std::vector<std::size_t>& segments, double gain,
                        const SearchSettings& settings, RuleBegin above) {
    MeasureCase found = one;
    double least_us = settings.price_us ? settings.price_us(one, above) / gain : 0;
    if (least_us == 0) return one;
    for (const std::size_t segment : segments) {
        const MeasureCase other{one.algorithm, segment, one.message_bytes};
        const double other_us = settings.price_us(other, above);
        if (other_us == 0 || other_us >= least_us) continue;
        least_us = other_us;
        found = other;
    }
    return found;
}

MeasureCase in_cheapest_segments(const MeasureCase& one, const SearchSettings& settings, RuleBegin above) {
    constexpr std::size_t few = 64;
    constexpr double gain = 1.02;
    if (one.segment_bytes == 0 || one.message_bytes > few * one.segment_bytes) return one;
    std::vector<std::size_t> segments;
    for (const std::size_t segment : segment_ladder(one.algorithm, one.message_bytes)) {
        if (2 * segment > one.segment_bytes && segment < 2 * one.segment_bytes) segments.push_back(segment);
    }
    return cheapest_of(one, segments, gain, settings, above);
}

}  // namespace bcastgen
