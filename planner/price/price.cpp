#include "planner/price/price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bcast/facts/tree_builders.hpp"
#include "bcast/trees/latency_tree.hpp"

namespace bcastgen {

namespace {

constexpr std::array<std::size_t, 13> segment_sizes = {240,   1024,  2048,  4096,   6144,   8192,   16384,
                                                       32768, 65536, 131072, 262144, 524288, 1048576};
constexpr std::size_t most_segments = 4096;

// So many segments are gone through at first, and at most, before the rest is taken to follow at the same pace.
constexpr std::int64_t first_simulated = 48;
constexpr std::int64_t most_simulated = 768;
constexpr double same_pace = 0.002;

/// Seconds from one segment to the next over segments [from, to) of those that a schedule went through.
double pace_s(const std::vector<double>& ends_s, std::size_t from, std::size_t to) {
    return (ends_s[to - 1] - ends_s[from - 1]) / static_cast<double>(to - from);
}

}  // namespace

Prices::Prices(const Network& network, std::vector<int> machines, int root, MessageCosts costs)
    : network_(network), costs_(std::move(costs)), layout_(layout_of(network)),
      order_(bcast::depth_first_order(layout_, machines, root)), wires_(network, order_, costs_),
      hop_(bcast::hop_of(layout_, order_.machines)) {}

bool Prices::has_price(bcast::Algorithm algorithm) {
    return bcast::uses_trees(algorithm) && !bcast::has(algorithm, bcast::trait::blind);
}

const Prices::Planned& Prices::planned(bcast::Algorithm algorithm, std::size_t bytes) {
    const bool by_size = bcast::has(algorithm, bcast::trait::by_size);
    const std::size_t of_size = by_size ? bcast::latency_tree_bytes[bcast::latency_tree_size(bytes)] : 0;
    const auto [at, made] = planned_.try_emplace({algorithm, of_size});
    if (made) {
        at->second.trees =
            bcast::build_trees(algorithm, {layout_, order_, bcast::row_of(algorithm).children, of_size});
    }
    return at->second;
}

Prices::Streamed Prices::streamed(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes,
                                  std::size_t segment_bytes) {
    const std::vector<bcast::Tree>& trees = planned(algorithm, bytes).trees;
    std::vector<TreeStream> streams;
    std::int64_t most = 0;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        const std::size_t each = bytes / trees.size();
        const std::size_t part = tree + 1 == trees.size() ? bytes - tree * each : each;
        const Segments segments = segments_of(part, segment_bytes);
        streams.push_back({&trees[tree], segments, window_of(segments, segment_bytes == 0, trees.size(), hop_)});
        most = std::max(most, segments.count);
    }
    for (std::int64_t simulated = first_simulated;; simulated *= 2) {
        const bool all = 2 * simulated >= most;
        const TreeSchedule schedule = schedule_trees(wires, streams, sharing(), all ? 0 : simulated);
        const std::vector<double>& ends_s = schedule.segments_s;
        if (all) return {schedule.end_s, schedule.end_s - ends_s.front()};
        const std::size_t count = ends_s.size() - 1;  // the last may be short
        const double pace = pace_s(ends_s, count / 2, count);
        const double before = pace_s(ends_s, count / 4, count / 2);
        if (std::abs(pace - before) > same_pace * pace && simulated < most_simulated) continue;
        const double time_s = schedule.end_s + static_cast<double>(most - simulated) * pace;
        return {time_s, time_s - ends_s.front()};
    }
}

double Prices::once_s(std::size_t bytes) {
    const bcast::Tree pair = bcast::flat_tree(std::min(2, order_.size()));
    const Segments whole{bytes, bytes, bytes, 1};
    const std::vector<TreeStream> streams{{&pair, whole, window_of(whole, true, 1, hop_)}};
    return schedule_trees(wires_, streams, sharing()).end_s;
}

double Prices::time_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    return streamed(wires_, algorithm, bytes, segment_bytes).time_s;
}

Price Prices::price(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    Wires bare = wires_;
    bare.drop_software();
    const double with_latency_s = streamed(bare, algorithm, bytes, segment_bytes).time_s;
    bare.drop_latencies();
    const Streamed of_bytes = streamed(bare, algorithm, bytes, segment_bytes);
    Price price{algorithm, segment_bytes, time_s(algorithm, bytes, segment_bytes)};
    price.steady_s = of_bytes.steady_s;
    price.latency_s = with_latency_s - of_bytes.time_s;
    price.software_s = price.time_s - with_latency_s;
    price.lower_bound = !bcast::has(algorithm, bcast::trait::contention_free);
    return price;
}

Price Prices::best(bcast::Algorithm algorithm, std::size_t bytes) {
    std::size_t best_bytes = 0;
    double best_s = time_s(algorithm, bytes, 0);
    if (bcast::pipelines(algorithm)) {
        for (const std::size_t segment : segment_sizes) {
            if (segment >= bytes || bytes / segment > most_segments) continue;
            const double segments_s = time_s(algorithm, bytes, segment);
            if (segments_s < best_s) {
                best_s = segments_s;
                best_bytes = segment;
            }
        }
    }
    return price(algorithm, bytes, best_bytes);
}

}  // namespace bcastgen
