// Comparing broadcasts: algorithms x segment sizes x message sizes on one cluster, a row of times for each.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/segment_sizes.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

struct BenchRequest {
    std::vector<int> machines;  ///< of the network, in the sequence of the ranks
    int root = 0;               ///< machine
    int ranks_per_machine = 1;
    Distribution distribution = Distribution::block;
    std::vector<std::size_t> sizes;       ///< message bytes
    std::vector<std::string> algorithms;  ///< known to known_algorithms()
    /// Segment bytes to try, 0: in one piece. None: usual_segments(), of which the best becomes the row.
    std::optional<std::vector<std::size_t>> segments;
    int repetitions = 1;
    int warm_ups = 1;
    ArrivalPattern arrival;
    std::string arrival_text = "balanced";
    double loss = 0;  ///< fraction of datagrams that the cluster drops
    std::uint64_t seed = 1;
};

/// One algorithm with one segment size on one message size, over all repetitions.
struct BenchRow {
    std::string algorithm;
    std::size_t segment_bytes = 0;
    std::size_t message_bytes = 0;
    int repetitions = 0;
    double completion_us_median = 0;
    double completion_us_min = 0;
    double completion_us_max = 0;
    double per_node_us_mean = 0;   ///< mean over repetitions of the ranks' average time in the call
    double per_node_us_worst = 0;  ///< mean over repetitions of the slowest rank's
    double osu_avg_us = 0;
    bool bytes_ok = false;
};

/// What every algorithm is compared with on a message size; measured in the same job whether asked for or not.
struct Reference {
    std::size_t message_bytes = 0;
    double one_message_us = 0;  ///< T(m)
    double native_us = 0;
    /// The best that pipelining does for a message to one peer, with the emitted library's engine.
    std::size_t one_peer_segment_bytes = 0;
    double one_peer_us = 0;
    /// What no broadcast from machine to machine can be below, by the topology's description; none if it does not
    /// apply.
    std::optional<double> floor_us{};
};

struct BenchResult {
    std::string topology;
    std::string cluster;
    std::string network;  ///< Cluster::network_model
    std::string mpi;
    std::string root;  ///< machine's name
    int machines = 0;
    int ranks = 0;
    Distribution distribution = Distribution::block;
    std::string arrival;
    double loss = 0;
    std::vector<BenchRow> rows;         ///< by size, then algorithm as asked for, then segment size
    std::vector<Reference> references;  ///< by size
};

using Progress = std::function<void(std::size_t done, std::size_t all)>;

/// Runs all cases in one job on a prepared cluster, the references among them. `program`: of build_measuring_program.
/// Throws OutsideFailure.
[[nodiscard]] BenchResult bench(Cluster& cluster, const Network& network, const std::filesystem::path& program,
                                const std::filesystem::path& work_directory, const BenchRequest& request,
                                const Progress& progress);

[[nodiscard]] std::string bench_csv(const BenchResult& result);   ///< header and a line for each row
[[nodiscard]] std::string bench_json(const BenchResult& result);  ///< format bcastgen-bench/1
[[nodiscard]] std::string bench_text(
    const BenchResult& result);  ///< tables with ratios to T(m) and native, best marked

}  // namespace bcastgen
