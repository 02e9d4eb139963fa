// What to tune, in the words of the command line.
#pragma once

#include <string>

#include "tuner/search/tuner.hpp"

namespace bcastgen {

struct TuneOptions {
    std::string on;
    std::string mpi = "mpich";   ///< as --mpi has it
    std::string machines;        ///< hostlist; empty: all
    std::string root;            ///< empty: the first by name of those that take part
    std::string machine_counts;  ///< "2,8,32"; empty: usual_machine_counts
    std::string ranks_per_machine = "1";
    std::string sizes = "256-4M";  ///< a list, or FROM-TO: every fourth power of two between
    std::string algorithms = "all";
    std::string arrivals = "balanced";
    std::string time_budget = "10m";
    double margin = 0.02;
    Workload like{};  ///< of no jobs: none; else it decides sizes, machine counts and ranks on each
};

/// Throws InputErrors with everything that is wrong, each under its option.
[[nodiscard]] TuneRequest tune_request(const Network& network, const TuneOptions& options);

/// "90s", "10m", "2h" or "1d" in seconds; 0 for "none". Throws ParseError.
[[nodiscard]] double parse_duration_s(const std::string& text);

/// The request as the store keeps it: JSON.
[[nodiscard]] std::string settings_json(const TuneRequest& request);

}  // namespace bcastgen
