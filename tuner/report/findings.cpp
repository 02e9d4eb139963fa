#include "tuner/report/findings.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

bool reaches_every_machine(const std::string& algorithm) {
    return !is_ping_pong(algorithm);
}

const MeasuredCase* quicker(const MeasuredCase* best, const MeasuredCase& other) {
    return best == nullptr || other.time_us.median < best->time_us.median ? &other : best;
}

}  // namespace

bool judged_by_completion(const Shape& shape) {
    return shape.arrival == "balanced";
}

std::vector<Findings> findings_of(const StoredRun& run, const std::vector<StoredSample>& samples) {
    using CaseKey = std::tuple<std::string, std::size_t, std::size_t>;
    std::map<std::tuple<std::string, int, int, std::string>, std::map<CaseKey, MeasuredCase>> sorted;
    for (const StoredSample& stored : samples) {
        const SampleKey& key = stored.key;
        if (key.placement == send_times_placement) continue;  // no broadcasts
        auto& cases = sorted[{key.arrival, key.ranks_per_machine, -key.machines, key.placement}];
        MeasuredCase& one = cases[{key.one.algorithm, key.one.message_bytes, key.one.segment_bytes}];
        one.one = key.one;
        one.times_us.push_back(key.arrival == "balanced" ? stored.sample.completion_us
                                                         : stored.sample.per_node_mean_us);
        one.bytes_ok = one.bytes_ok && stored.sample.bytes_ok;
    }
    std::vector<Findings> all;
    for (auto& [key, cases] : sorted) {
        const auto& [arrival, ranks, minus_machines, placement] = key;
        Findings findings{{-minus_machines, ranks, arrival}, placement, {}};
        const bool exact = recorded_cluster_kind(run.conditions.cluster).exact && judged_by_completion(findings.shape);
        for (auto& [unused, one] : cases) {
            one.time_us = exact ? exact_estimate(one.times_us) : estimate(one.times_us);
            findings.cases.push_back(std::move(one));
        }
        all.push_back(std::move(findings));
    }
    return all;
}

const Findings* find(const std::vector<Findings>& all, const Shape& shape, const std::string& placement) {
    for (const Findings& one : all) {
        if (one.shape.machines == shape.machines && one.shape.ranks_per_machine == shape.ranks_per_machine &&
            one.shape.arrival == shape.arrival && one.placement == placement)
            return &one;
    }
    return nullptr;
}

const MeasuredCase* best_of(const Findings& findings, const std::string& algorithm, std::size_t bytes) {
    const MeasuredCase* best = nullptr;
    for (const MeasuredCase& one : findings.cases) {
        if (one.one.algorithm == algorithm && one.one.message_bytes == bytes) best = quicker(best, one);
    }
    return best;
}

const MeasuredCase* best_of_all(const Findings& findings, std::size_t bytes) {
    const MeasuredCase* best = nullptr;
    for (const MeasuredCase& one : findings.cases) {
        if (reaches_every_machine(one.one.algorithm) && one.one.message_bytes == bytes) best = quicker(best, one);
    }
    return best;
}

std::vector<std::string> algorithms_of(const Findings& findings) {
    std::set<std::string> names;
    for (const MeasuredCase& one : findings.cases) names.insert(one.one.algorithm);
    return {names.begin(), names.end()};
}

std::vector<std::size_t> sizes_of(const Findings& findings) {
    std::set<std::size_t> sizes;
    for (const MeasuredCase& one : findings.cases) sizes.insert(one.one.message_bytes);
    return {sizes.begin(), sizes.end()};
}

std::optional<MeasureCase> chosen(const SiteTable& table, const Shape& shape, std::size_t bytes) {
    const std::optional<bcast::Arrival> arrival = parse_arrival(shape.arrival);
    if (table.rules.empty() || !arrival) return std::nullopt;
    const auto answer =
        bcast::look_up(table.rules, {shape.machines, shape.ranks_per_machine, *arrival, bytes, table.multicast});
    const bcast::Choice choice = answer.choice;
    if (answer.reason == bcast::Reason::rule) {
        const auto& message = static_cast<const MessageRule&>(*answer.message);  // the rows' own
        return MeasureCase{measured_name(message), choice.segment_bytes, bytes};
    }
    return MeasureCase{measured_name(choice), choice.segment_bytes, bytes};
}

const Rule* row_for(const SiteTable& table, const Shape& shape) {
    const std::optional<bcast::Arrival> arrival = parse_arrival(shape.arrival);
    if (!arrival) return nullptr;
    return bcast::row_for(table.rules, shape.machines, shape.ranks_per_machine, *arrival);
}

}  // namespace bcastgen
