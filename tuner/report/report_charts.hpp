// The charts of a report.
#pragma once

#include <string>
#include <vector>

#include "tuner/report/chart.hpp"
#include "tuner/report/findings.hpp"

namespace bcastgen {

/// The look of an algorithm's curves, the same in all charts; `pingpong` is T(m).
[[nodiscard]] ChartStyle style_of(const std::string& algorithm);

/// Algorithms in the sequence of legends: T(m), native, then the library's.
[[nodiscard]] std::vector<std::string> in_legend_order(std::vector<std::string> algorithms);

/// Time against message size, every algorithm with its best segment size; rings round what the table chose.
[[nodiscard]] Chart time_chart(const Findings& findings, const SiteTable& table);

/// The same, divided by T(m): where it is not above 1, a broadcast costs no more than one message.
[[nodiscard]] Chart ratio_chart(const Findings& findings, const SiteTable& table);

/// Time against segment size, a chart for each message size for which an algorithm was tried with two or more; native's
/// time is a line across.
[[nodiscard]] std::vector<Chart> segment_charts(const Findings& findings, const SiteTable& table);

/// How many times faster than native against message size, as validated with bars for the bounds; a curve for each
/// machine count. Without validations what the search found.
[[nodiscard]] Chart speed_up_chart(const std::vector<Findings>& group,
                                   const std::vector<StoredValidation>& validations);

}  // namespace bcastgen
