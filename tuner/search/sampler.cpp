#include "tuner/search/sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/outside_failure.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

bool is_reference(const MeasureCase& one) {
    return is_native(one.algorithm) || is_ping_pong(one.algorithm) || is_of_sends(one.algorithm);
}

}  // namespace

Ledger::Ledger(TuningStore& store, std::int64_t run) : store_(store), run_(run) {
    for (const StoredSample& stored : store.samples(run)) {
        samples_[key_of(stored.key)].push_back(stored.sample);
        ++size_;
    }
}

Ledger::Key Ledger::key_of(const SampleKey& key) {
    return {key.machines, key.ranks_per_machine, key.placement,         key.arrival,
            key.role,     key.one.algorithm,     key.one.segment_bytes, key.one.message_bytes};
}

void Ledger::add(const StoredSample& stored) {
    std::vector<Sample>& samples = samples_[key_of(stored.key)];
    StoredSample next = stored;
    next.key.repetition = static_cast<int>(samples.size());
    store_.add_sample(run_, next);
    samples.push_back(stored.sample);
    ++size_;
}

const std::vector<Sample>& Ledger::of(const SampleKey& key) const {
    static const std::vector<Sample> none;
    const auto found = samples_.find(key_of(key));
    return found == samples_.end() ? none : found->second;
}

SampleKey JobSampler::key_of(const MeasureCase& one) const {
    SampleKey key;
    key.machines = shape_.machines;
    key.ranks_per_machine = shape_.ranks_per_machine;
    key.placement = placement_.name;
    key.arrival = shape_.arrival;
    key.one = one;
    key.role = is_reference(one) ? "reference" : "search";
    // What repeats exactly need not be measured again to be validated.
    if (validating_ && (!repeats() || ledger_.of(key).empty())) key.role = "validation";
    return key;
}

std::size_t JobSampler::samples_of(const MeasureCase& one) const {
    return ledger_.of(key_of(one)).size();
}

Estimate JobSampler::cost_us(const MeasureCase& one) const {
    const auto cost = shape_.arrival == "balanced" ? &Sample::completion_us : &Sample::per_node_mean_us;
    std::vector<double> values;
    for (const Sample& sample : ledger_.of(key_of(one))) values.push_back(sample.*cost);
    return repeats() ? exact_estimate(values) : estimate(values, confidence_);
}

void JobSampler::take(const std::vector<MeasureCase>& cases, int repetitions) {
    std::vector<MeasureCase> wanted;
    std::vector<int> missing;
    for (const MeasureCase& one : cases) {
        const int left = repetitions - static_cast<int>(samples_of(one));
        if (left <= 0 || std::find(wanted.begin(), wanted.end(), one) != wanted.end()) continue;
        wanted.push_back(one);
        missing.push_back(left);
    }
    if (wanted.empty() || out_of_time()) return;
    if (!measuring_.exact) {
        for (const MeasureCase& one : cases) {  // one more, since what disturbs the job should disturb it, too
            if (!is_native(one.algorithm) || std::find(wanted.begin(), wanted.end(), one) != wanted.end()) continue;
            wanted.push_back(one);
            missing.push_back(1);
        }
        run(wanted, missing, 1 + ledger_.size());
        return;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        for (int repetition = repetitions - missing[i]; repetition < repetitions; ++repetition) {
            const bool done = run({wanted[i]}, {1}, 1 + static_cast<std::uint64_t>(repetition));
            if (!done || out_of_time()) return;
        }
    }
}

/// One job. False if it was ended at the deadline; the samples that came before count.
bool JobSampler::run(const std::vector<MeasureCase>& cases, const std::vector<int>& missing, std::uint64_t seed) {
    MeasureRequest request;
    request.machines = placement_.machines;
    request.root = measuring_.root;
    request.ranks_per_machine = shape_.ranks_per_machine;
    request.warm_ups = measuring_.exact ? 0 : 1;
    request.seed = seed;
    request.arrival = arrival_pattern(shape_.arrival);
    request.sends = measuring_.sends;
    request.cases = cases;
    request.repetitions_by_case = missing;
    if (deadline_ != Clock::time_point::max()) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(deadline_ - Clock::now());
        request.time_limit = std::max(left, std::chrono::seconds(1));
    }
    const auto keep = [&](std::size_t index, const Sample& sample) {
        if (!sample.bytes_ok) {
            throw std::runtime_error(fmt::format("{} delivered wrong bytes: {} bytes in segments of {} to {} machines",
                                                 cases[index].algorithm, cases[index].message_bytes,
                                                 cases[index].segment_bytes, shape_.machines));
        }
        StoredSample stored;
        stored.key = key_of(cases[index]);
        stored.sample = sample;
        ledger_.add(stored);
        if (measuring_.on_sample) measuring_.on_sample();
    };
    try {
        measure(measuring_.cluster, measuring_.network, measuring_.program, measuring_.work_directory, request, keep);
    } catch (const OutsideFailure&) {
        if (!out_of_time()) throw;
        return false;
    }
    return true;
}

}  // namespace bcastgen
