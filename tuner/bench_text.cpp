#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "bench.hpp"
#include "units.hpp"

namespace bcastgen {

namespace {

/// Three digits that mean something: 0.812 us, 35.1 us, 1.07 ms, 106 ms, 2.41 s.
std::string time_text(double microseconds) {
    const auto digits = [](double value) {
        return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
    };
    if (microseconds < 999.5) return digits(microseconds) + " us";
    if (microseconds < 999.5e3) return digits(microseconds / 1e3) + " ms";
    return digits(microseconds / 1e6) + " s";
}

std::string segment_text(const BenchRow& row) {
    return row.segment_bytes == 0 || row.segment_bytes >= row.message_bytes ? "-" : format_size(row.segment_bytes);
}

std::string ratio_text(std::optional<double> over, double under) {
    return over && under > 0 ? fmt::format("{:.2f}", *over / under) : "";
}

struct SizeTable {
    std::vector<const BenchRow*> rows;
    std::optional<double> one_message_us;  ///< T(m)
    std::optional<double> native_us;
    double best_us = 0;
};

bool moves_it_to_all(const BenchRow& row) {
    return row.algorithm != "pingpong";
}

SizeTable table_of(const BenchResult& result, std::size_t size) {
    SizeTable table;
    for (const BenchRow& row : result.rows) {
        if (row.message_bytes != size) continue;
        table.rows.push_back(&row);
        if (row.algorithm == "pingpong") table.one_message_us = row.completion_us_median;
        if (row.algorithm == "native") table.native_us = row.completion_us_median;
        if (moves_it_to_all(row) && (table.best_us == 0 || row.completion_us_median < table.best_us)) {
            table.best_us = row.completion_us_median;
        }
    }
    return table;
}

std::string row_text(const BenchRow& row, const SizeTable& table, std::size_t name_width) {
    const bool best = moves_it_to_all(row) && row.completion_us_median == table.best_us;
    return fmt::format("{} {:<{}} {:>7} {:>10} {:>8} {:>8} {:>10} {:>10}{}\n", best ? "*" : " ", row.algorithm,
                       name_width, segment_text(row), time_text(row.completion_us_median),
                       ratio_text(row.completion_us_median, table.one_message_us.value_or(0)),
                       moves_it_to_all(row) ? ratio_text(table.native_us, row.completion_us_median) : "",
                       time_text(row.per_node_us_mean), time_text(row.per_node_us_worst),
                       row.bytes_ok ? "" : "  WRONG BYTES");
}

}  // namespace

std::string bench_text(const BenchResult& result) {
    std::string text = fmt::format("{} on the {} cluster, native as in {}: {} machines, {} ranks, root {}, arrival {}",
                                   result.topology, result.cluster, result.mpi, result.machines, result.ranks,
                                   result.root, result.arrival);
    if (result.loss > 0) text += fmt::format(", loss {:g}", result.loss);
    text += fmt::format("\nmedians of {}; * best; speed-up over native\n",
                        result.rows.empty() ? 0 : result.rows.front().repetitions);
    std::size_t name_width = 9;
    for (const BenchRow& row : result.rows) name_width = std::max(name_width, row.algorithm.size());
    for (const OnePeerTime& one_peer : result.one_peer) {
        const SizeTable table = table_of(result, one_peer.message_bytes);
        text += fmt::format("\n{}", format_size(one_peer.message_bytes));
        if (table.one_message_us) text += fmt::format("   T(m) {}", time_text(*table.one_message_us));
        text += fmt::format("   to one peer in segments {}", time_text(one_peer.completion_us));
        if (one_peer.segment_bytes != 0) text += fmt::format(" ({})", format_size(one_peer.segment_bytes));
        text += fmt::format("\n  {:<{}} {:>7} {:>10} {:>8} {:>8} {:>10} {:>10}\n", "algorithm", name_width, "segment",
                            "completion", "x T(m)", "speed-up", "node mean", "node worst");
        for (const BenchRow* row : table.rows) text += row_text(*row, table, name_width);
    }
    return text;
}

}  // namespace bcastgen
