#include "tuner/report/report_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

constexpr int segment_chart_height = 330;

// Okabe and Ito's colours without their yellow, which is too light for lines on white. Equal colours differ in dashes
// and markers. In the sequence of the table of algorithms; one that the table has beyond these looks like a stranger.
const std::vector<ChartStyle>& algorithm_styles() {
    static const std::vector<ChartStyle> all{{"#777777", 1, 5, 3.5}, {"#CC79A7", 2, 4, 2}, {"#CC79A7", 1, 6, 2},
                                             {"#009E73", 1, 13, 2},  {"#D55E00", 1, 9, 2}, {"#E69F00", 1, 11, 2},
                                             {"#0072B2", 1, 7, 2.5}, {"#56B4E9", 1, 8, 2}, {"#56B4E9", 2, 10, 2},
                                             {"#0072B2", 2, 12, 2},  {"#E69F00", 2, 4, 2}, {"#D55E00", 2, 6, 2},
                                             {"#009E73", 2, 8, 2},   {"#000000", 4, 2, 2}};
    return all;
}

const ChartStyle ping_pong_style{"#000000", 3, 0, 2};
const ChartStyle floor_style{"#777777", 3, 0, 1.5};
const ChartStyle tuned_style{"#000000", 1, 15, 2};
constexpr const char* rejected_colour = "#A34700";
const ChartStyle strangers_style{"#777777", 4, 1, 1.5};

/// The place in legends: T(m), native, trees for whole messages, trees for segments, the other families, what the table
/// says, and whatever else was measured.
std::tuple<int, bcast::Family, bool, bcast::Algorithm> place_of(const std::string& name) {
    const bcast::Algorithm none = bcast::usual::no_rule;
    if (is_ping_pong(name)) return {0, bcast::Family::native, false, none};
    const std::optional<bcast::Algorithm> algorithm = algorithm_called(name);
    if (!algorithm) return {is_tuned(name) ? 2 : 3, bcast::Family::native, false, none};
    return {1, bcast::row_of(*algorithm).family, bcast::pipelines(*algorithm), *algorithm};
}

std::string shown_name(const std::string& algorithm) {
    return is_ping_pong(algorithm) ? "T(m)" : algorithm;
}

ChartPoint point_of(double x, const Estimate& time, double unit) {
    ChartPoint point{x, time.median / unit, 0, 0};
    if (std::isfinite(time.high) && time.high > time.low) {
        point.low = time.low / unit;
        point.high = time.high / unit;
    }
    return point;
}

/// "two-tree in segments of 8K, 1M: 96 ms", with the bounds of the estimate; of a time in units of something "1.2
/// T(m)".
std::string hover_of(const MeasuredCase& of, double unit, const char* unit_name) {
    const MeasureCase& one = of.one;
    const Estimate& time = of.time_us;
    const auto text = [&](double us) {
        return unit == 1 ? time_text(us) : fmt::format("{:.3g} {}", us / unit, unit_name);
    };
    std::string said = shown_name(one.algorithm);
    if (one.segment_bytes > 0 && one.segment_bytes < one.message_bytes)
        said += fmt::format(" in segments of {}", format_size(one.segment_bytes));
    said += fmt::format(", {}: {}", message_text(one.message_bytes), text(time.median));
    if (std::isfinite(time.high) && time.high > time.low)
        said += fmt::format(" ({} to {})", text(time.low), text(time.high));
    return said;
}

std::string time_label(const Findings& findings) {
    return judged_by_completion(findings.shape) ? "completion time" : "mean time in the call";
}

/// Every single sample behind a curve, where there are several: what the median hides.
ChartCurve single_samples(const ChartStyle& style, const std::vector<std::pair<double, const MeasuredCase*>>& cases,
                          double (*unit)(const Findings&, std::size_t), const Findings& findings) {
    ChartCurve dots{"", style, {}, ChartCurve::Kind::dots};
    for (const auto& [x, one] : cases) {
        if (one->times_us.size() < 2) continue;
        const double by = unit(findings, one->one.message_bytes);
        for (const double time : one->times_us) {
            if (by > 0) dots.points.push_back({x, time / by, 0, 0});
        }
    }
    return dots;
}

double microsecond(const Findings&, std::size_t) {
    return 1;
}

double one_message_us(const Findings& findings, std::size_t bytes) {
    const MeasuredCase* one = best_of(findings, measured::ping_pong, bytes);
    return one == nullptr ? 0 : one->time_us.median;
}

using Unit = double (*)(const Findings&, std::size_t);

ChartCurve ring_curve(const Findings& findings, const SiteTable& table, Unit unit) {
    ChartCurve rings{"the table's choice", {"#000000"}, {}, ChartCurve::Kind::rings};
    for (const std::size_t bytes : sizes_of(findings)) {
        const std::optional<MeasureCase> choice = chosen(table, findings.shape, bytes);
        const double by = unit(findings, bytes);
        if (!choice || by <= 0) continue;
        const MeasuredCase* one = best_of(findings, choice->algorithm, bytes);
        for (const MeasuredCase& exact : findings.cases) {
            if (exact.one == *choice) one = &exact;
        }
        if (one != nullptr) rings.points.push_back({static_cast<double>(bytes), one->time_us.median / by, 0, 0});
    }
    return rings;
}

ChartCurve floor_curve(const Findings& findings, Unit unit) {
    ChartCurve curve{"floor", floor_style, {}};
    for (const auto& [bytes, floor_us] : findings.floor_us) {
        const double by = unit(findings, bytes);
        if (by <= 0) continue;
        const std::string value = by == 1 ? time_text(floor_us) : fmt::format("{:.3g} T(m)", floor_us / by);
        curve.points.push_back({static_cast<double>(bytes), floor_us / by, 0, 0,
                                fmt::format("floor, {}: {}", message_text(bytes), value)});
    }
    return curve;
}

ChartCurve rejected_curve() {
    return {"rejected: does not win by the margin", {rejected_colour}, {}, ChartCurve::Kind::crosses};
}

/// What the search chose and the validation did not keep.
ChartCurve rejected_choices(const Findings& findings, Unit unit) {
    ChartCurve crosses = rejected_curve();
    for (const StoredValidation& one : findings.rejected) {
        const auto bytes = static_cast<std::size_t>(one.message_bytes);
        const double by = unit(findings, bytes);
        if (by <= 0) continue;
        crosses.points.push_back({static_cast<double>(bytes), one.chosen_us / by, 0, 0,
                                  fmt::format("{}, {}: rejected, {} as fast as native", one.algorithm,
                                              message_text(bytes), ratio_text(one.speed_up))});
    }
    return crosses;
}

void add_curves(Chart& chart, const Findings& findings, const SiteTable& table, Unit unit) {
    std::vector<ChartCurve> dots;
    for (const std::string& algorithm : in_legend_order(algorithms_of(findings))) {
        ChartCurve curve{shown_name(algorithm), style_of(algorithm), {}};
        std::vector<std::pair<double, const MeasuredCase*>> cases;
        for (const std::size_t bytes : sizes_of(findings)) {
            const MeasuredCase* one = best_of(findings, algorithm, bytes);
            const double by = unit(findings, bytes);
            if (one == nullptr || by <= 0) continue;
            curve.points.push_back(point_of(static_cast<double>(bytes), one->time_us, by));
            curve.points.back().hover = hover_of(*one, by, "T(m)");
            cases.emplace_back(static_cast<double>(bytes), one);
        }
        dots.push_back(single_samples(curve.style, cases, unit, findings));
        chart.curves.push_back(std::move(curve));
    }
    chart.curves.insert(chart.curves.begin(), dots.begin(), dots.end());
    if (ChartCurve floor = floor_curve(findings, unit); !floor.points.empty()) chart.curves.push_back(std::move(floor));
    chart.curves.push_back(ring_curve(findings, table, unit));
    chart.curves.push_back(rejected_choices(findings, unit));
}

ChartCurve segment_curve(const Findings& findings, const std::string& algorithm, std::size_t bytes) {
    ChartCurve curve{shown_name(algorithm), style_of(algorithm), {}};
    for (const MeasuredCase& one : findings.cases) {
        if (one.one.algorithm != algorithm || one.one.message_bytes != bytes) continue;
        const std::size_t segment = one.one.segment_bytes == 0 ? bytes : one.one.segment_bytes;
        curve.points.push_back(point_of(static_cast<double>(segment), one.time_us, 1));
        curve.points.back().hover = hover_of(one, 1, "");
    }
    std::sort(curve.points.begin(), curve.points.end(),
              [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
    return curve;
}

/// Native's time from side to side: below it a segment size wins. Nothing where native was not measured, or no curve is
/// there to hold against it.
std::optional<ChartCurve> native_line(const Findings& findings, std::size_t bytes,
                                      const std::vector<ChartCurve>& curves) {
    const MeasuredCase* native = best_of(findings, measured::native, bytes);
    if (native == nullptr || curves.empty()) return std::nullopt;
    double from = curves.front().points.front().x;
    double to = from;
    for (const ChartCurve& curve : curves) {
        from = std::min(from, curve.points.front().x);
        to = std::max(to, curve.points.back().x);
    }
    ChartCurve line{measured::native, style_of(measured::native), {}};
    line.style.marker = 0;  // no segment sizes were tried here
    line.points = {point_of(from, native->time_us, 1), point_of(to, native->time_us, 1)};
    for (ChartPoint& point : line.points) point.low = point.high = 0;
    return line;
}

}  // namespace

ChartStyle style_of(const std::string& algorithm) {
    if (is_ping_pong(algorithm)) return ping_pong_style;
    if (is_tuned(algorithm)) return tuned_style;
    const std::optional<bcast::Algorithm> known = algorithm_called(algorithm);
    const std::size_t at = known ? static_cast<std::size_t>(*known) : algorithm_styles().size();
    return at < algorithm_styles().size() ? algorithm_styles()[at] : strangers_style;
}

std::vector<std::string> in_legend_order(std::vector<std::string> algorithms) {
    std::stable_sort(algorithms.begin(), algorithms.end(),
                     [](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
    return algorithms;
}

Chart time_chart(const Findings& findings, const SiteTable& table) {
    Chart chart;
    chart.title = "Time against message size";
    chart.x_label = "message (bytes)";
    chart.y_label = time_label(findings);
    add_curves(chart, findings, table, microsecond);
    add_ticks(chart, time_ticks);
    return chart;
}

Chart ratio_chart(const Findings& findings, const SiteTable& table) {
    Chart chart;
    chart.title = "Time in units of T(m) against message size";
    chart.x_label = "message (bytes)";
    chart.y_label = time_label(findings) + " / T(m)";
    add_curves(chart, findings, table, one_message_us);
    add_ticks(chart, ratio_ticks);
    return chart;
}

std::vector<Chart> segment_charts(const Findings& findings, const SiteTable& table) {
    std::vector<Chart> charts;
    for (const std::size_t bytes : sizes_of(findings)) {
        Chart chart;
        chart.title = format_size(bytes);
        chart.x_label = "segment (bytes)";
        chart.y_label = time_label(findings);
        chart.height = segment_chart_height;
        for (const std::string& algorithm : in_legend_order(algorithms_of(findings))) {
            ChartCurve curve = segment_curve(findings, algorithm, bytes);
            if (curve.points.size() >= 2) chart.curves.push_back(std::move(curve));
        }
        if (chart.curves.empty()) continue;
        if (auto native = native_line(findings, bytes, chart.curves)) {
            chart.curves.insert(chart.curves.begin(), std::move(*native));
        }
        ChartCurve crosses = rejected_curve();
        for (const StoredValidation& one : findings.rejected) {
            if (static_cast<std::size_t>(one.message_bytes) != bytes || one.segment_bytes <= 0) continue;
            crosses.points.push_back({static_cast<double>(one.segment_bytes), one.chosen_us, 0, 0, ""});
        }
        chart.curves.push_back(std::move(crosses));
        if (const auto choice = chosen(table, findings.shape, bytes)) {
            ChartCurve ring{"the table's choice", {"#000000"}, {}, ChartCurve::Kind::rings};
            for (const MeasuredCase& one : findings.cases) {
                if (!(one.one == *choice) || is_native(choice->algorithm)) continue;
                const std::size_t segment = choice->segment_bytes == 0 ? bytes : choice->segment_bytes;
                ring.points.push_back({static_cast<double>(segment), one.time_us.median, 0, 0});
            }
            chart.curves.push_back(std::move(ring));
        }
        add_ticks(chart, time_ticks);
        charts.push_back(std::move(chart));
    }
    return charts;
}

Chart speed_up_chart(const std::vector<Findings>& group, const std::vector<StoredValidation>& validations) {
    static const std::array<ChartStyle, 7> looks{{{"#0072B2", 1, 7, 2.5},
                                                  {"#D55E00", 1, 9, 2},
                                                  {"#009E73", 1, 13, 2},
                                                  {"#CC79A7", 1, 5, 2},
                                                  {"#E69F00", 1, 11, 2},
                                                  {"#56B4E9", 1, 15, 2},
                                                  {"#000000", 1, 6, 2}}};
    Chart chart;
    chart.title = "Speed-up over native against message size";
    chart.x_label = "message (bytes)";
    chart.y_label = "native time / tuned time";
    chart.height = 380;
    chart.level = 1;
    ChartCurve crosses = rejected_curve();
    std::map<int, std::size_t> look_of;
    for (const Findings& findings : group) {
        const auto [found, unused] = look_of.try_emplace(findings.shape.machines, look_of.size());
        ChartCurve curve{
            counted(findings.shape.machines, "machine", "machines"), looks[found->second % looks.size()], {}};
        if (findings.placement != "near") {
            curve.title += ", " + findings.placement;
            curve.style.dash = 2;
        }
        for (const StoredValidation& one : validations) {
            const bool here = one.machines == findings.shape.machines && one.placement == findings.placement &&
                              one.ranks_per_machine == findings.shape.ranks_per_machine &&
                              one.arrival == findings.shape.arrival;
            if (!here) continue;
            ChartPoint point{static_cast<double>(one.message_bytes), one.speed_up, 0, 0};
            point.hover =
                fmt::format("{}, {}: {}", one.algorithm, message_text(static_cast<std::size_t>(one.message_bytes)),
                            ratio_text(one.speed_up));
            if (std::isfinite(one.speed_up_high) && one.speed_up_high > one.speed_up_low) {
                point.low = one.speed_up_low;
                point.high = one.speed_up_high;
                point.hover += fmt::format(" ({} to {})", ratio_text(point.low), ratio_text(point.high));
            }
            if (!one.kept) {
                crosses.points.push_back({point.x, point.y, 0, 0, ""});
                point.hover += ", rejected";
            }
            curve.points.push_back(point);
        }
        if (validations.empty()) {
            for (const std::size_t bytes : sizes_of(findings)) {
                const MeasuredCase* native = best_of(findings, measured::native, bytes);
                const MeasuredCase* best = best_of_all(findings, bytes);
                if (native == nullptr || best == native) continue;
                curve.points.push_back(
                    {static_cast<double>(bytes), native->time_us.median / best->time_us.median, 0, 0});
            }
        }
        std::sort(curve.points.begin(), curve.points.end(),
                  [](const ChartPoint& a, const ChartPoint& b) { return a.x < b.x; });
        chart.curves.push_back(std::move(curve));
    }
    chart.curves.push_back(std::move(crosses));
    add_ticks(chart, ratio_ticks);
    return chart;
}

}  // namespace bcastgen
