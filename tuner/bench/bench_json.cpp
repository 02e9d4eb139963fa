#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json_lines.hpp"
#include "tuner/bench/bench.hpp"

namespace bcastgen {

namespace {

/// To nanoseconds: further digits mean nothing.
double rounded(double microseconds) {
    return std::round(microseconds * 1000) / 1000;
}

}  // namespace

std::string bench_json(const BenchResult& result) {
    using nlohmann::ordered_json;
    ordered_json rows = ordered_json::array();
    for (const BenchRow& row : result.rows) {
        rows.push_back({{"algorithm", row.algorithm},
                        {"segment_bytes", row.segment_bytes},
                        {"message_bytes", row.message_bytes},
                        {"repetitions", row.repetitions},
                        {"completion_us_median", rounded(row.completion_us_median)},
                        {"completion_us_min", rounded(row.completion_us_min)},
                        {"completion_us_max", rounded(row.completion_us_max)},
                        {"per_node_us_mean", rounded(row.per_node_us_mean)},
                        {"per_node_us_worst", rounded(row.per_node_us_worst)},
                        {"osu_avg_us", rounded(row.osu_avg_us)},
                        {"bytes_ok", row.bytes_ok}});
    }
    ordered_json references = ordered_json::array();
    for (const Reference& reference : result.references) {
        references.push_back({{"message_bytes", reference.message_bytes},
                              {"one_message_us", rounded(reference.one_message_us)},
                              {"native_us", rounded(reference.native_us)},
                              {"one_peer_segment_bytes", reference.one_peer_segment_bytes},
                              {"one_peer_us", rounded(reference.one_peer_us)},
                              {"floor_us", reference.floor_us ? ordered_json(rounded(*reference.floor_us)) : nullptr}});
    }
    return json_lines({{"format", "bcastgen-bench/1"},
                       {"topology", result.topology},
                       {"cluster", result.cluster},
                       {"network", result.network},
                       {"mpi", result.mpi},
                       {"root", result.root},
                       {"machines", result.machines},
                       {"ranks", result.ranks},
                       {"distribution", name_of(result.distribution)},
                       {"arrival", result.arrival},
                       {"loss", result.loss},
                       {"rows", std::move(rows)},
                       {"references", std::move(references)}});
}

}  // namespace bcastgen
