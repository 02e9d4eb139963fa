// Samples from a cluster, each put into the store as it comes.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/measure/shape.hpp"
#include "tuner/search/search.hpp"
#include "tuner/store/store.hpp"

namespace bcastgen {

using Clock = std::chrono::steady_clock;

/// What measuring takes: a prepared cluster, the program, and where samples go.
struct Measuring {
    Cluster& cluster;
    const Network& network;
    std::filesystem::path program;
    std::filesystem::path work_directory;
    int root = 0;  ///< machine
    /// Broadcasts repeat exactly: each is a job of its own, so that its time depends on nothing but itself, whatever
    /// was measured before it, or was not because it had been before an interruption.
    bool exact = false;
    std::function<void()> on_sample;  ///< a sign of life; may be empty
    SendTimes sends{};                ///< of the cluster, once they are known
};

/// The samples of one run, in memory as in the store.
class Ledger {
  public:
    Ledger(TuningStore& store, std::int64_t run);

    void add(const StoredSample& stored);
    /// All samples of a case in a role, whatever `key.repetition` is.
    [[nodiscard]] const std::vector<Sample>& of(const SampleKey& key) const;
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    struct Key {
        int machines;
        int ranks_per_machine;
        std::string placement, arrival, role, algorithm;
        std::size_t segment_bytes, message_bytes;
        // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler writes has a 0
        auto operator<=>(const Key&) const = default;
    };
    static Key key_of(const SampleKey& key);

    TuningStore& store_;
    std::int64_t run_;
    std::map<Key, std::vector<Sample>> samples_;
    std::size_t size_ = 0;
};

/// The sampler of one shape on one set of machines.
class JobSampler : public Sampler {
  public:
    JobSampler(const Measuring& measuring, Ledger& ledger, Shape shape, Placement placement, bool validating,
               Clock::time_point deadline, double confidence = 0.95)
        : measuring_(measuring),
          ledger_(ledger),
          shape_(std::move(shape)),
          placement_(std::move(placement)),
          validating_(validating),
          deadline_(deadline),
          confidence_(confidence) {}

    /// Throws OutsideFailure when the cluster fails, and when bytes arrive that were not sent.
    void take(const std::vector<MeasureCase>& cases, int repetitions) override;
    [[nodiscard]] Estimate cost_us(const MeasureCase& one) const override;
    [[nodiscard]] bool out_of_time() const override { return Clock::now() >= deadline_; }
    void set_deadline(Clock::time_point deadline) { deadline_ = deadline; }

  private:
    [[nodiscard]] SampleKey key_of(const MeasureCase& one) const;
    [[nodiscard]] std::size_t samples_of(const MeasureCase& one) const;
    [[nodiscard]] bool repeats() const { return measuring_.exact && shape_.arrival == "balanced"; }
    bool run(const std::vector<MeasureCase>& cases, const std::vector<int>& missing, std::uint64_t seed);

    const Measuring& measuring_;
    Ledger& ledger_;
    Shape shape_;
    Placement placement_;
    bool validating_;
    Clock::time_point deadline_;
    double confidence_;
};

}  // namespace bcastgen
