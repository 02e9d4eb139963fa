// The middle of measured values: what a few that are spoilt do not move.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bcastgen {

/// The middle value, of an even number the larger of the two; 0 if there are none.
[[nodiscard]] inline double middle_of(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace bcastgen
