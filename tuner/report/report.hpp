// The page that shows a tuning: one HTML file that needs nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/measure/trace.hpp"
#include "tuner/store/store.hpp"

namespace bcastgen {

/// A run of a store with everything that is kept of it.
struct ReportedRun {
    StoredRun run;
    std::vector<StoredPlacement> placements;
    std::vector<StoredSample> samples;
    std::vector<Rule> rules;
    std::vector<StoredValidation> validations;
};

struct ReportRequest {
    std::string store;               ///< the store's file, as shown; empty: no tuning, the trace alone
    std::optional<ReportedRun> run;  ///< none: the same
    std::vector<StoredRun> others;   ///< runs of the store that are not shown
    std::optional<Trace> trace;
    std::optional<Trace> without_library;  ///< of the same program with BCASTGEN_DISABLE=1
    std::optional<Network> traced_on;  ///< where the trace is from, if that is known: says what its table would save
    std::string slow_link;             ///< what the trace says of cables (late_segments_text); empty: nothing
    std::string version;               ///< of bcastgen
};

/// All of one run in a store: `id`, or the newest without one. Throws InputErrors if there is none.
[[nodiscard]] ReportedRun read_run(TuningStore& store, const std::string& file, std::optional<std::int64_t> id);

/// The page. Throws OutsideFailure if gnuplot is missing. Scratch files go below `directory`.
[[nodiscard]] std::string report_page(const ReportRequest& request, const std::filesystem::path& directory);

}  // namespace bcastgen
