#include "tuner/measure/workload.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_sizes = 12;  // of a shape
constexpr double alike = 1.1;           // sizes of such a ratio
constexpr double negligible = 0.01;     // of the time

void add(WorkloadCell& to, const WorkloadCell& more) {
    to.broadcasts += more.broadcasts;
    to.native_broadcasts += more.native_broadcasts;
    to.seconds += more.seconds;
}

/// How many times larger the larger one is.
double ratio(std::size_t one, std::size_t other) {
    return static_cast<double>(std::max(one, other)) / static_cast<double>(std::min(one, other));
}

/// The sizes that take longest stay, apart from each other; all others are counted to the nearest of them.
std::vector<WorkloadCell> with_few_sizes(std::vector<WorkloadCell> cells) {
    std::stable_sort(cells.begin(), cells.end(),
                     [](const WorkloadCell& a, const WorkloadCell& b) { return a.seconds > b.seconds; });
    std::vector<WorkloadCell> kept;
    for (const WorkloadCell& cell : cells) {
        const auto nearest = std::min_element(kept.begin(), kept.end(), [&](const auto& a, const auto& b) {
            return ratio(a.message_bytes, cell.message_bytes) < ratio(b.message_bytes, cell.message_bytes);
        });
        const bool is_new = nearest == kept.end() ||
                            (kept.size() < most_sizes && ratio(nearest->message_bytes, cell.message_bytes) > alike);
        if (is_new) {
            kept.push_back(cell);
        } else {
            add(*nearest, cell);
        }
    }
    std::sort(kept.begin(), kept.end(),
              [](const WorkloadCell& a, const WorkloadCell& b) { return a.message_bytes < b.message_bytes; });
    return kept;
}

template <class Value>
std::vector<Value> growing(const std::set<Value>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

Workload workload_of(const std::vector<Trace>& traces) {
    Workload workload;
    std::map<std::tuple<int, int, std::size_t>, WorkloadCell> cells;
    for (const Trace& trace : traces) {
        ++workload.jobs;
        const auto ranks = static_cast<double>(std::max<std::size_t>(1, trace.ranks.size()));
        for (const TracedCalls& calls : trace.calls) {
            const double seconds = calls.seconds / ranks;
            workload.seconds += seconds;
            if (calls.machines < 2 || calls.message_bytes == 0) continue;
            const int each = (calls.ranks + calls.machines - 1) / calls.machines;
            const double broadcasts = static_cast<double>(calls.calls) / calls.ranks;
            WorkloadCell& cell = cells[{calls.machines, each, calls.message_bytes}];
            cell.machines = calls.machines;
            cell.ranks_per_machine = each;
            cell.message_bytes = calls.message_bytes;
            add(cell, {0, 0, 0, broadcasts, is_native(calls.algorithm) ? broadcasts : 0, seconds});
        }
    }
    std::map<std::pair<int, int>, std::vector<WorkloadCell>> by_shape;
    for (const auto& [key, cell] : cells) by_shape[{cell.machines, cell.ranks_per_machine}].push_back(cell);
    for (auto& [shape, of_shape] : by_shape) {
        for (const WorkloadCell& cell : with_few_sizes(std::move(of_shape))) workload.cells.push_back(cell);
    }
    return workload;
}

WorthTuning worth_tuning(const Workload& workload) {
    std::vector<WorkloadCell> cells = workload.cells;
    std::stable_sort(cells.begin(), cells.end(),
                     [](const WorkloadCell& a, const WorkloadCell& b) { return a.seconds > b.seconds; });
    double left = 0;
    for (const WorkloadCell& cell : cells) left += cell.seconds;
    const double most_left_out = negligible * left;
    std::set<std::size_t> sizes;
    std::set<int> machine_counts;
    std::set<int> ranks_per_machine;
    for (const WorkloadCell& cell : cells) {
        if (!sizes.empty() && left <= most_left_out) break;
        left -= cell.seconds;
        sizes.insert(cell.message_bytes);
        machine_counts.insert(cell.machines);
        ranks_per_machine.insert(cell.ranks_per_machine);
    }
    return {growing(sizes), growing(machine_counts), growing(ranks_per_machine)};
}

}  // namespace bcastgen
