// One job of the measuring program on a cluster: cases in, samples out.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/clusters/cluster.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

struct MeasureRequest {
    std::vector<int> machines;  ///< of the network, in the sequence of the ranks; the root among them, at least two
    int root = 0;               ///< machine; its first rank is the root
    int ranks_per_machine = 1;
    Distribution distribution = Distribution::block;
    int repetitions = 1;  ///< of each case
    int warm_ups = 1;     ///< of each case
    std::uint64_t seed = 1;
    ArrivalPattern arrival;
    SendTimes sends;                       ///< in place of those that the library was emitted with
    std::vector<MeasureCase> cases;        ///< distinct
    std::vector<int> repetitions_by_case;  ///< in place of `repetitions`; empty: the same for all
    std::map<std::string, std::string> environment;
    std::chrono::seconds time_limit{0};  ///< of the whole job; 0: none, but one that falls silent is ended
};

/// One repetition of one case, as the measuring program (main.cpp) defines these times.
struct Sample {
    double completion_us = 0;
    double per_node_mean_us = 0;
    double per_node_worst_us = 0;
    double osu_avg_us = 0;
    std::size_t segment_bytes = 0;  ///< that was used: differs from the case's only for `tuned`
    bool bytes_ok = false;
};

/// Called after each sample with the case's index, so that nothing is lost if the job dies.
using OnSample = std::function<void(std::size_t case_index, const Sample& sample)>;

/// Compiles the measuring program for `cluster`, together with the emitted library in `library_directory`, whose
/// mpi_bcast.cpp must have the site's facts alone: the program brings the entry points along. Returns the executable.
/// Throws OutsideFailure, also at the deadline.
[[nodiscard]] std::filesystem::path build_measuring_program(
    Cluster& cluster, const std::filesystem::path& library_directory, const std::filesystem::path& work_directory,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

/// Runs the measuring program on a prepared cluster of `network`. Returns the samples by case.
/// Throws OutsideFailure if the job fails, hangs beyond its time limit, or cannot be served by the emitted library.
std::vector<std::vector<Sample>> measure(Cluster& cluster, const Network& network, const std::filesystem::path& program,
                                         const std::filesystem::path& work_directory, const MeasureRequest& request,
                                         const OnSample& on_sample);

/// What MPI_Get_library_version says, in one line: up to the first comma, or up to how the library was configured,
/// which MPICH lists in full: "Open MPI v4.1.4", "MPICH Version: 4.0.2 … MPICH Device: ch4:ucx".
[[nodiscard]] std::string version_in(std::string_view words);

/// The MPI that the program runs on, as version_in has it. Runs a job that measures nothing on the request's machines.
/// Throws OutsideFailure as measure() does.
[[nodiscard]] std::string mpi_version(Cluster& cluster, const Network& network, const std::filesystem::path& program,
                                      const std::filesystem::path& work_directory, MeasureRequest request);

/// The machine nearest to `root` among `machines`, two or more: the next in depth-first order.
[[nodiscard]] int nearest_machine(const Network& network, const std::vector<int>& machines, int root);

}  // namespace bcastgen
