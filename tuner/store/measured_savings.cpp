#include "tuner/store/measured_savings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace bcastgen {

namespace {

/// Times of one broadcast; the bounds are of the choice's.
struct Times {
    double native_us = 0;
    double chosen_us = 0;
    double least_us = 0;
    double most_us = 0;
};

using BySize = std::map<std::size_t, Times>;

Times times_of(const StoredValidation& one) {
    if (!one.kept || one.speed_up_low <= 0) return {one.native_us, one.native_us, one.native_us, one.native_us};
    return {one.native_us, one.chosen_us, one.native_us / one.speed_up_high, one.native_us / one.speed_up_low};
}

double mixed(double from, double to, double share) {
    return from + share * (to - from);
}

/// Times grow in proportion between two sizes that were measured, and beyond the largest as its message does.
std::optional<Times> times_at(const BySize& measured, std::size_t bytes) {
    const auto above = measured.lower_bound(bytes);
    if (above != measured.end() && above->first == bytes) return above->second;
    if (above == measured.begin()) return std::nullopt;
    const auto& [below_bytes, below] = *std::prev(above);
    if (above == measured.end()) {
        const double factor = static_cast<double>(bytes) / static_cast<double>(below_bytes);
        return Times{factor * below.native_us, factor * below.chosen_us, factor * below.least_us,
                     factor * below.most_us};
    }
    const double share = static_cast<double>(bytes - below_bytes) / static_cast<double>(above->first - below_bytes);
    return Times{
        mixed(below.native_us, above->second.native_us, share), mixed(below.chosen_us, above->second.chosen_us, share),
        mixed(below.least_us, above->second.least_us, share), mixed(below.most_us, above->second.most_us, share)};
}

/// The trials that stand for a cell, by placement.
std::map<std::string, BySize> trials_for(const std::vector<StoredValidation>& validations, const WorkloadCell& cell) {
    int fewest = 0;
    for (const StoredValidation& one : validations) {
        if (one.machines >= cell.machines && (fewest == 0 || one.machines < fewest)) fewest = one.machines;
    }
    std::map<std::string, BySize> trials;
    for (const StoredValidation& one : validations) {
        const bool stands =
            one.machines == fewest && one.ranks_per_machine == cell.ranks_per_machine && one.arrival == "balanced";
        if (stands) trials[one.placement].emplace(static_cast<std::size_t>(one.message_bytes), times_of(one));
    }
    return trials;
}

}  // namespace

std::vector<Saving> measured_savings(const std::vector<StoredValidation>& validations, const Workload& workload) {
    std::vector<Saving> savings;
    for (const WorkloadCell& cell : workload.cells) {
        std::vector<Times> found;
        for (const auto& [placement, by_size] : trials_for(validations, cell)) {
            if (const std::optional<Times> times = times_at(by_size, cell.message_bytes)) found.push_back(*times);
        }
        if (found.empty()) continue;
        Saving saving{cell, 0, 0, {}};
        const double scale = 1e-6 * cell.broadcasts;
        const auto placements = static_cast<double>(found.size());
        for (const Times& times : found) {
            const double low = scale * (times.native_us - times.most_us);
            const double high = scale * (times.native_us - times.least_us);
            const bool first = &times == &found.front();
            saving.native_us += times.native_us / placements;
            saving.chosen_us += times.chosen_us / placements;
            saving.saved.low = first ? low : std::min(saving.saved.low, low);
            saving.saved.high = first ? high : std::max(saving.saved.high, high);
        }
        saving.saved.likely = scale * (saving.native_us - saving.chosen_us);
        savings.push_back(saving);
    }
    return savings;
}

}  // namespace bcastgen
