#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/bench/bench.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

std::string segment_text(const BenchRow& row) {
    return row.segment_bytes == 0 || row.segment_bytes >= row.message_bytes ? "-" : format_size(row.segment_bytes);
}

std::string ratio_text(double over, double under) {
    return under > 0 ? fmt::format("{:.2f}", over / under) : "";
}

bool moves_it_to_all(const BenchRow& row) {
    return !is_ping_pong(row.algorithm);
}

double best_us(const BenchResult& result, std::size_t size) {
    double best_us = std::numeric_limits<double>::infinity();
    for (const BenchRow& row : result.rows) {
        if (row.message_bytes == size && moves_it_to_all(row)) best_us = std::min(best_us, row.completion_us_median);
    }
    return best_us;
}

std::string row_text(const BenchRow& row, const Reference& reference, double best_us, std::size_t name_width) {
    const bool best = moves_it_to_all(row) && row.completion_us_median == best_us;
    return fmt::format("{} {:<{}} {:>7} {:>10} {:>8} {:>8} {:>10} {:>10}{}\n", best ? "*" : " ", row.algorithm,
                       name_width, segment_text(row), time_text(row.completion_us_median),
                       ratio_text(row.completion_us_median, reference.one_message_us),
                       moves_it_to_all(row) ? ratio_text(reference.native_us, row.completion_us_median) : "",
                       time_text(row.per_node_us_mean), time_text(row.per_node_us_worst),
                       row.bytes_ok ? "" : "  WRONG BYTES");
}

}  // namespace

std::string bench_text(const BenchResult& result) {
    std::string text = fmt::format(
        "{} on the {} cluster{}, native as in {}: {}, {} ranks{}, root {}, arrival {}", result.topology, result.cluster,
        result.network.empty() ? "" : " (network " + result.network + ")", result.mpi,
        counted(result.machines, "machine", "machines"), result.ranks,
        result.distribution == Distribution::cyclic ? " dealt round the machines" : "", result.root, result.arrival);
    if (result.loss > 0) text += fmt::format(", loss {:g}", result.loss);
    text += fmt::format("\nmedians of {}; * best; speed-up over native\n",
                        result.rows.empty() ? 0 : result.rows.front().repetitions);
    std::size_t name_width = 9;
    for (const BenchRow& row : result.rows) name_width = std::max(name_width, row.algorithm.size());
    for (const Reference& reference : result.references) {
        const std::size_t size = reference.message_bytes;
        text += fmt::format("\n{}   T(m) {}", format_size(size), time_text(reference.one_message_us));
        if (reference.floor_us) text += fmt::format("   floor {}", time_text(*reference.floor_us));
        text += fmt::format("   to one peer in segments {}", time_text(reference.one_peer_us));
        if (reference.one_peer_segment_bytes != 0)
            text += fmt::format(" ({})", format_size(reference.one_peer_segment_bytes));
        text += fmt::format("   native {}\n  {:<{}} {:>7} {:>10} {:>8} {:>8} {:>10} {:>10}\n",
                            time_text(reference.native_us), "algorithm", name_width, "segment", "completion", "x T(m)",
                            "speed-up", "node mean", "node worst");
        const double best = best_us(result, size);
        for (const BenchRow& row : result.rows) {
            if (row.message_bytes == size) text += row_text(row, reference, best, name_width);
        }
    }
    return text;
}

}  // namespace bcastgen
