#include <fmt/format.h>

#include "tuner/bench/bench.hpp"

namespace bcastgen {

namespace {

std::string floor_text(const BenchResult& result, std::size_t message_bytes) {
    for (const Reference& reference : result.references) {
        if (reference.message_bytes == message_bytes && reference.floor_us) {
            return fmt::format("{:.3f}", *reference.floor_us);
        }
    }
    return "";
}

}  // namespace

std::string bench_csv(const BenchResult& result) {
    std::string text =
        "cluster,mpi,machines,ranks,arrival,loss,algorithm,segment_bytes,message_bytes,repetitions,"
        "completion_us_median,completion_us_min,completion_us_max,per_node_us_mean,per_node_us_worst,osu_avg_us,"
        "bytes_ok,network,floor_us,distribution\n";
    for (const BenchRow& row : result.rows) {
        text += fmt::format("{},{},{},{},{},{:g},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{},{},{},{}\n",
                            result.cluster, result.mpi, result.machines, result.ranks, result.arrival, result.loss,
                            row.algorithm, row.segment_bytes, row.message_bytes, row.repetitions,
                            row.completion_us_median, row.completion_us_min, row.completion_us_max,
                            row.per_node_us_mean, row.per_node_us_worst, row.osu_avg_us, row.bytes_ok ? 1 : 0,
                            result.network, floor_text(result, row.message_bytes), name_of(result.distribution));
    }
    return text;
}

}  // namespace bcastgen
