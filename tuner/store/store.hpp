// The store of a tuning: every sample as it came, what it was measured on, and what was concluded. An SQLite file whose
// tables are documented for readers in docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "tuner/measure/measurement.hpp"
#include "tuner/store/run_claim.hpp"

struct sqlite3;

namespace bcastgen {

/// What a run's samples were measured on and with. Samples of different conditions are never mixed.
struct RunConditions {
    std::string topology;      ///< name
    std::string plan_hash;     ///< 16 hexadecimal digits
    std::string library_hash;  ///< of the emitted library and the measuring program, without the decision table
    std::string cluster;       ///< as --on has it
    std::string mpi;           ///< mpich, openmpi
    std::string mpi_version;   ///< in its own words
    std::string network;       ///< simulated: as --network has it; else empty
    std::string rate;          ///< emulated: as --rate has it; else empty
    std::string root;          ///< machine
    std::string machine_list;  ///< hostlist of all that take part
    std::string loss{};        ///< emulated: the fraction that --loss has; else empty
    std::string hosts{};       ///< mpiexec: "real hosts", or "this host" for all ranks; else empty

    bool operator==(const RunConditions&) const = default;
};

/// One tuning, which may have been interrupted and resumed.
struct StoredRun {
    std::int64_t id = 0;
    RunConditions conditions;
    std::string topology_yaml;      ///< the topology file's text
    std::string ranks_per_machine;  ///< as asked for: "1,4"
    std::string settings;           ///< of the search, as JSON
    std::string started;            ///< UTC, 2026-05-04T13:00:00Z
    std::string finished;           ///< the same; empty until its table is written
};

/// What a sample is of, beside the case itself.
struct SampleKey {
    int machines = 0;
    int ranks_per_machine = 1;
    std::string placement = "near";    ///< which machines: near (first in depth-first order), spread (first by name)
    std::string arrival = "balanced";  ///< balanced, imbalanced
    std::string role = "search";       ///< search, reference (native, T(m)), validation
    MeasureCase one;
    int repetition = 0;  ///< from 0, for each of the above
};

struct StoredSample {
    SampleKey key;
    Sample sample;
};

/// Which machines a count of machines stood for.
struct StoredPlacement {
    int machines = 0;
    std::string placement;
    std::string machine_list;
};

/// What the finished table was found to win over native, for one message size.
struct StoredValidation {
    int machines = 0;
    int ranks_per_machine = 1;
    std::string placement;
    std::string arrival;
    std::uint64_t message_bytes = 0;
    std::string algorithm;
    std::uint64_t segment_bytes = 0;
    double native_us = 0;
    double chosen_us = 0;
    double speed_up = 0;  ///< native over chosen, of medians
    double speed_up_low = 0;
    double speed_up_high = 0;
    bool kept = false;  ///< false: native took its place
};

enum class StoreAccess { write, read };

/// All functions throw OutsideFailure when the file cannot be read or written.
class TuningStore {
  public:
    /// Opens the store; to be written, it is made if it is not there. Throws InputErrors if the file is something else
    /// (to be read: also if there is none), or a store of another version.
    explicit TuningStore(const std::filesystem::path& file, StoreAccess access = StoreAccess::write);
    TuningStore(const TuningStore&) = delete;
    TuningStore& operator=(const TuningStore&) = delete;
    ~TuningStore();

    /// Begins a run; its id. `id`, `started` and `finished` of `run` are not read.
    std::int64_t begin_run(const StoredRun& run);

    /// The newest run with these conditions; none if the store is empty. Throws InputErrors that tell what differs if
    /// it holds other runs only: their samples say nothing about these conditions. An empty `mpi_version` is one that
    /// is not known yet: any will do.
    [[nodiscard]] std::optional<std::int64_t> run_to_resume(const RunConditions& conditions);

    /// Nobody else may add to the run until the store is closed. Throws OutsideFailure if another process does.
    void claim(std::int64_t run) { claim_.claim(file_, run); }

    /// The run goes on with the settings (topology text, ranks per machine, settings) of `run`, and has no result until
    /// it is concluded again.
    void resume_run(std::int64_t id, const StoredRun& run);

    /// All runs, oldest first.
    [[nodiscard]] std::vector<StoredRun> runs();

    /// Safe on disk when it returns, whatever becomes of this program. A sample with the key of another is refused.
    void add_sample(std::int64_t run, const StoredSample& sample);
    [[nodiscard]] std::vector<StoredSample> samples(std::int64_t run);  ///< in the sequence that they came in

    /// Which machines a placement of so many stands for.
    void set_placement(std::int64_t run, int machines, const std::string& placement, const std::string& machine_list);
    [[nodiscard]] std::vector<StoredPlacement> placements(std::int64_t run);  ///< growing

    /// The run's result, in place of an earlier one; marks it finished.
    void conclude(std::int64_t run, const std::vector<Rule>& rules, const std::vector<StoredValidation>& validations);
    /// Throws InputErrors for a rule that this bcastgen does not know what to make of.
    [[nodiscard]] std::vector<Rule> rules(std::int64_t run);
    [[nodiscard]] std::vector<StoredValidation> validations(std::int64_t run);

  private:
    std::filesystem::path file_;
    RunClaim claim_;  // outlives the connection, which the destructor closes
    sqlite3* database_ = nullptr;
    bool writes_ = false;
};

}  // namespace bcastgen
