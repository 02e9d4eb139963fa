#include "tuner/measure/trace_summary.hpp"

#include <algorithm>
#include <map>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_ranges = 6;

void add(TracedSizes& to, const TracedSizes& more) {
    to.least_bytes = std::min(to.least_bytes, more.least_bytes);
    to.most_bytes = std::max(to.most_bytes, more.most_bytes);
    to.broadcasts += more.broadcasts;
    to.seconds += more.seconds;
}

/// Neighbours are put together, those first that are nearest by factor, until there are few enough.
void put_together(std::vector<TracedSizes>& sizes) {
    while (sizes.size() > most_ranges) {
        std::size_t nearest = 1;
        const auto factor = [&](std::size_t i) {
            return static_cast<double>(sizes[i].most_bytes) /
                   static_cast<double>(std::max<std::size_t>(1, sizes[i - 1].least_bytes));
        };
        for (std::size_t i = 2; i < sizes.size(); ++i) {
            if (factor(i) < factor(nearest)) nearest = i;
        }
        add(sizes[nearest - 1], sizes[nearest]);
        sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(nearest));
    }
}

}  // namespace

TraceSummary summary_of(const Trace& trace) {
    TraceSummary summary;
    const auto ranks = static_cast<double>(std::max<std::size_t>(1, trace.ranks.size()));
    std::map<std::size_t, TracedSizes> by_size;
    for (const TracedCalls& calls : trace.calls) {
        const std::size_t bytes = calls.message_bytes;
        const double broadcasts = static_cast<double>(calls.calls) / std::max(1, calls.ranks);
        const double seconds = calls.seconds / ranks;
        add(by_size.try_emplace(bytes, TracedSizes{bytes, bytes}).first->second, {bytes, bytes, broadcasts, seconds});
        summary.broadcasts += broadcasts;
        summary.seconds += seconds;
        if (is_native(calls.algorithm)) continue;
        summary.planned_broadcasts += broadcasts;
        summary.planned_seconds += seconds;
    }
    for (const TracedRank& rank : trace.ranks) {
        if (rank.seconds > summary.slowest.seconds) summary.slowest = rank;
    }
    for (const auto& [bytes, sizes] : by_size) summary.sizes.push_back(sizes);
    put_together(summary.sizes);
    std::stable_sort(summary.sizes.begin(), summary.sizes.end(),
                     [](const TracedSizes& a, const TracedSizes& b) { return a.seconds > b.seconds; });
    return summary;
}

}  // namespace bcastgen
