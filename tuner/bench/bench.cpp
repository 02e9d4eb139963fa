#include "tuner/bench/bench.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

using measured::native;
using measured::one_peer;
using measured::ping_pong;

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

std::vector<double> column(const std::vector<Sample>& samples, double Sample::*field) {
    std::vector<double> values;
    for (const Sample& sample : samples) values.push_back(sample.*field);
    return values;
}

BenchRow row_of(const MeasureCase& one, const std::vector<Sample>& samples) {
    BenchRow row;
    const std::vector<double> completion = column(samples, &Sample::completion_us);
    row.algorithm = one.algorithm;
    row.segment_bytes = samples.front().segment_bytes;
    row.message_bytes = one.message_bytes;
    row.repetitions = static_cast<int>(samples.size());
    row.completion_us_median = median(completion);
    row.completion_us_min = *std::min_element(completion.begin(), completion.end());
    row.completion_us_max = *std::max_element(completion.begin(), completion.end());
    row.per_node_us_mean = mean(column(samples, &Sample::per_node_mean_us));
    row.per_node_us_worst = mean(column(samples, &Sample::per_node_worst_us));
    row.osu_avg_us = mean(column(samples, &Sample::osu_avg_us));
    row.bytes_ok = std::all_of(samples.begin(), samples.end(), [](const Sample& sample) { return sample.bytes_ok; });
    return row;
}

/// The cases of a size, without repeats: what is asked for, and the references.
void add_cases(const BenchRequest& request, std::size_t size, std::vector<MeasureCase>& cases) {
    const auto add = [&](const MeasureCase& one) {
        if (std::find(cases.begin(), cases.end(), one) == cases.end()) cases.push_back(one);
    };
    add({ping_pong, 0, size});
    add({native, 0, size});
    for (const std::size_t segment : usual_segments(one_peer, size)) add({one_peer, segment, size});
    for (const std::string& algorithm : request.algorithms) {
        if (!takes_segments(algorithm)) {
            add({algorithm, 0, size});
            continue;
        }
        for (const std::size_t segment : request.segments ? *request.segments : usual_segments(algorithm, size)) {
            add({algorithm, segment, size});
        }
    }
}

/// The time by which an algorithm is judged: with balanced arrivals the completion, else the ranks' mean time in the
/// call.
double cost(const BenchRow& row, const ArrivalPattern& arrival) {
    return arrival.kind == ArrivalPattern::Kind::balanced ? row.completion_us_median : row.per_node_us_mean;
}

}  // namespace

BenchResult bench(Cluster& cluster, const Network& network, const std::filesystem::path& program,
                  const std::filesystem::path& work_directory, const BenchRequest& request, const Progress& progress) {
    MeasureRequest job;
    job.machines = request.machines;
    job.root = request.root;
    job.ranks_per_machine = request.ranks_per_machine;
    job.distribution = request.distribution;
    job.repetitions = request.repetitions;
    job.warm_ups = request.warm_ups;
    job.seed = request.seed;
    job.arrival = request.arrival;
    for (const std::size_t size : request.sizes) add_cases(request, size, job.cases);

    std::size_t done = 0;
    const std::size_t all = job.cases.size() * static_cast<std::size_t>(request.repetitions);
    const auto samples = measure(cluster, network, program, work_directory, job, [&](std::size_t, const Sample&) {
        if (progress) progress(++done, all);
    });

    BenchResult result;
    result.topology = network.name;
    result.cluster = cluster.name();
    result.network = cluster.network_model();
    result.mpi = cluster.mpi();
    result.root = network.machines[static_cast<std::size_t>(request.root)].name;
    result.machines = static_cast<int>(request.machines.size());
    result.ranks = result.machines * request.ranks_per_machine;
    result.distribution = request.distribution;
    result.arrival = request.arrival_text;
    result.loss = request.loss;
    std::vector<BenchRow> measured;
    for (std::size_t i = 0; i < job.cases.size(); ++i) measured.push_back(row_of(job.cases[i], samples[i]));

    const auto rows_of = [&](const std::string& algorithm, std::size_t size) {
        std::vector<BenchRow> rows;
        for (const BenchRow& row : measured) {
            if (row.algorithm == algorithm && row.message_bytes == size) rows.push_back(row);
        }
        return rows;
    };
    const auto best_of = [&](const std::vector<BenchRow>& rows) {
        return *std::min_element(rows.begin(), rows.end(), [&](const BenchRow& a, const BenchRow& b) {
            return cost(a, request.arrival) < cost(b, request.arrival);
        });
    };
    const std::optional<CostedNetwork> costed = cluster.costed_network();
    for (const std::size_t size : request.sizes) {
        for (const std::string& algorithm : request.algorithms) {
            const std::vector<BenchRow> rows = rows_of(algorithm, size);
            if (request.segments) {
                result.rows.insert(result.rows.end(), rows.begin(), rows.end());
            } else {
                result.rows.push_back(best_of(rows));
            }
        }
        const BenchRow peer = best_of(rows_of(one_peer, size));
        result.references.push_back({size,
                                     rows_of(ping_pong, size).front().completion_us_median,
                                     rows_of(native, size).front().completion_us_median,
                                     peer.segment_bytes,
                                     peer.completion_us_median,
                                     {}});
        if (costed && result.machines > 1)
            result.references.back().floor_us = costed->floor_us(request.machines, request.root, size);
    }
    return result;
}

}  // namespace bcastgen
