// The broadcasts that a program did, from its trace.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/report/report_charts.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_rows = 200;
constexpr std::size_t most_dots = 5000;

std::vector<std::string> algorithms_of(const Trace& trace) {
    std::vector<std::string> names;
    for (const TracedCalls& calls : trace.calls) {
        if (std::find(names.begin(), names.end(), calls.algorithm) == names.end()) names.push_back(calls.algorithm);
    }
    return in_legend_order(names);
}

/// Calls by message size, an algorithm's in its look.
Chart calls_chart(const Trace& trace) {
    Chart chart;
    chart.title = "Calls against message size";
    chart.x_label = "message (bytes)";
    chart.y_label = "calls, all ranks";
    for (const std::string& algorithm : algorithms_of(trace)) {
        ChartCurve curve{algorithm, style_of(algorithm), {}, ChartCurve::Kind::marks};
        std::map<std::size_t, std::uint64_t> by_size;
        for (const TracedCalls& calls : trace.calls) {
            if (calls.algorithm == algorithm && calls.message_bytes > 0) by_size[calls.message_bytes] += calls.calls;
        }
        for (const auto& [bytes, calls] : by_size) {
            curve.points.push_back({static_cast<double>(bytes), static_cast<double>(calls), 0, 0});
        }
        chart.curves.push_back(std::move(curve));
    }
    add_ticks(chart, ratio_ticks);
    return chart;
}

Chart imbalance_chart(const Trace& trace) {
    Chart chart;
    chart.title = "Observed imbalance factors against message size";
    chart.x_label = "message (bytes)";
    chart.y_label = "imbalance factor";
    std::size_t all = 0;
    for (const TracedCalls& calls : trace.calls) all += calls.imbalance_factors.size();
    const std::size_t step = all / most_dots + 1;
    std::size_t number = 0;
    for (const std::string& algorithm : algorithms_of(trace)) {
        ChartCurve curve{algorithm, style_of(algorithm), {}, ChartCurve::Kind::marks};
        for (const TracedCalls& calls : trace.calls) {
            if (calls.algorithm != algorithm || calls.message_bytes == 0) continue;
            for (const double factor : calls.imbalance_factors) {
                if (number++ % step == 0 && factor > 0)
                    curve.points.push_back({static_cast<double>(calls.message_bytes), factor, 0, 0});
            }
        }
        chart.curves.push_back(std::move(curve));
    }
    add_ticks(chart, ratio_ticks);
    return chart;
}

/// "621 MB"
std::string bytes_text(double bytes) {
    const char* unit = "B";
    for (const char* larger : {"kB", "MB", "GB", "TB", "PB"}) {
        if (bytes < 999.5) break;
        bytes /= 1000;
        unit = larger;
    }
    return fmt::format("{:.3g} {}", bytes, unit);
}

/// "0.42", "7.3", "3394"
std::string factor_text(double factor) {
    return factor < 99.5 ? fmt::format("{:.2g}", factor) : fmt::format("{:.0f}", factor);
}

std::string factors_text(std::vector<double> factors) {
    if (factors.empty()) return "–";
    const double most = *std::max_element(factors.begin(), factors.end());
    return fmt::format("{}, at most {}", factor_text(median(std::move(factors))), factor_text(most));
}

Facts row_of(const TracedCalls& calls) {
    Facts row;
    row.set("message", message_text(calls.message_bytes));
    row.set("algorithm", printable(calls.algorithm));
    row.set("segment", segment_text(calls.segment_bytes, calls.message_bytes));
    row.set("machines", calls.machines == 0 ? "–" : std::to_string(calls.machines));
    row.set("ranks", std::to_string(calls.ranks));
    row.set("calls", std::to_string(calls.calls));
    row.set("bytes", bytes_text(static_cast<double>(calls.calls) * static_cast<double>(calls.message_bytes)));
    row.set("factor", factors_text(calls.imbalance_factors));
    row.set("rule", printable(calls.rule));
    return row;
}

std::string intro_of(const Trace& trace) {
    std::uint64_t all = 0;
    std::uint64_t native = 0;
    int largest = 0;
    for (const TracedCalls& calls : trace.calls) {
        all += calls.calls;
        if (is_native(calls.algorithm)) native += calls.calls;
        largest = std::max(largest, calls.ranks);
    }
    std::string text = fmt::format("{} of MPI_Bcast in the traces of {}, {}.{}; ", counted(all, "call", "calls"),
                                   counted(trace.ranks.size(), "rank", "ranks"), trace.file, "RANK");
    text += fmt::format("{} went to the MPI's own broadcast. ", native);
    if (static_cast<int>(trace.ranks.size()) < largest)
        text += fmt::format("The largest communicator has {} ranks: traces of others are missing. ", largest);
    return text;
}

}  // namespace

Facts trace_facts(const Trace& trace, const std::filesystem::path& directory) {
    Facts facts;
    facts.set("intro", printable(intro_of(trace)));
    const bool has_imbalance = std::any_of(trace.calls.begin(), trace.calls.end(),
                                           [](const TracedCalls& calls) { return !calls.imbalance_factors.empty(); });
    const std::vector<std::string> pictures =
        draw_charts({calls_chart(trace), imbalance_chart(trace)}, directory, "trace");
    if (!pictures[0].empty()) {
        facts.set("chart", pictures[0]);
        facts.set("chart_caption",
                  "How often messages of each size were broadcast, and by which algorithm. Calls of every "
                  "rank are counted.");
    }
    if (!pictures[1].empty()) facts.set("imbalance", pictures[1]);
    Facts rows{Facts::type::list};
    std::vector<const TracedCalls*> sorted;
    for (const TracedCalls& calls : trace.calls) sorted.push_back(&calls);
    const auto weight = [](const TracedCalls* one) {
        return static_cast<double>(one->calls) * static_cast<double>(one->message_bytes);
    };
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](const TracedCalls* a, const TracedCalls* b) { return weight(a) > weight(b); });
    for (std::size_t i = 0; i < std::min(sorted.size(), most_rows); ++i) rows << row_of(*sorted[i]);
    facts.set("calls", rows);
    facts.set("has_imbalance", has_imbalance);
    if (sorted.size() > most_rows)
        facts.set("left_out",
                  fmt::format("{} more rows, of fewer bytes each, are left out.", sorted.size() - most_rows));
    return facts;
}

}  // namespace bcastgen
