// A cluster: something that can run an MPI program for us.
//
//   prepare ──> compile ──> run, run, … ──> clean_up
//
// One file per cluster (mpiexec.cpp, slurm.cpp, emulated.cpp, simulated.cpp) and one row in kinds.cpp. A cluster knows
// the network and how to start ranks on its machines; what the program does is none of its business.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/clusters/costed_network.hpp"

namespace bcastgen {

/// A C++17 MPI program: sources that are compiled and linked together.
struct ProgramSources {
    std::string name;  ///< of the executable
    std::vector<std::filesystem::path> sources;
    std::vector<std::filesystem::path> include_directories;
    std::vector<std::string> definitions;  ///< NAME or NAME=VALUE, safe in a shell
    /// When compiling must have ended; a compiler that still runs then is ended, too.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

/// Where ranks go that follow each other: to one machine until it has all of its ranks, or round all machines. The
/// words are Slurm's.
enum class Distribution { block, cyclic };
[[nodiscard]] const std::map<std::string, Distribution>& distributions();  ///< by name
[[nodiscard]] std::string name_of(Distribution distribution);

/// One run of an MPI program.
struct Job {
    std::filesystem::path program;  ///< what Cluster::compile returned, or any MPI program built for Cluster::mpi
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;  ///< of every rank, beside what the cluster itself needs
    std::vector<int> machines;                       ///< of the network, distinct
    int ranks_per_machine = 1;
    Distribution distribution = Distribution::block;
    std::size_t least_message_bytes = 0;   ///< no message of what it measures is smaller; for simulations
    std::chrono::seconds time_limit{600};  ///< 0: none
    /// Of real time without a line of the ranks' stdout, on a network as fast as the topology says; 0: none.
    std::chrono::seconds silence_limit{0};
    /// Called with each line of the ranks' stdout as it comes, without its end; may be empty.
    std::function<void(std::string_view)> on_line;
};

/// The machine that each rank of the job runs on.
[[nodiscard]] std::vector<int> machine_by_rank(const Job& job);

/// What came of a job. Errors of the launch itself (no launcher, machine unreachable) are thrown, not returned.
struct JobOutcome {
    int exit_code = 0;       ///< the launcher's: 0 if every rank returned 0
    bool timed_out = false;  ///< ended at one of its limits
    std::string output;      ///< the ranks' stdout
    std::string errors;      ///< the ranks' and the launcher's stderr
};

/// All functions throw OutsideFailure (outside_failure.hpp) when something outside fails, with what to do about it.
class Cluster {
  public:
    Cluster() = default;
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;
    virtual ~Cluster() = default;  ///< of an implementation: cleans up what clean_up() was not called for

    [[nodiscard]] virtual std::string name() const = 0;  ///< as --on has it: "simulated"
    [[nodiscard]] virtual std::string mpi() const = 0;   ///< whose broadcast `native` is: "mpich", "openmpi"

    /// By what model the network is simulated; empty where messages take the time that they take.
    [[nodiscard]] virtual std::string network_model() const { return ""; }

    /// What messages cost here by the topology's description; none where they do not cross links as it has them.
    [[nodiscard]] virtual std::optional<CostedNetwork> costed_network() const { return std::nullopt; }

    /// Makes the machines ready. Must come before the first run.
    virtual void prepare() = 0;

    /// Compiles a program for this cluster's machines into its work directory. Returns the executable.
    virtual std::filesystem::path compile(const ProgramSources& program) = 0;

    /// Runs a job to its end, or to one of its limits, after which none of its processes is left.
    virtual JobOutcome run(const Job& job) = 0;

    /// Removes everything that prepare() and run() made, the work directory's files apart. May be called twice.
    virtual void clean_up() = 0;
};

/// What all clusters are told when they are made.
struct ClusterRequest {
    std::string name{};  ///< ClusterKind::name, as make_cluster fills it in (kinds.hpp)
    Network network;
    std::string mpi;                       ///< "mpich" or "openmpi"
    std::filesystem::path mpi_compiler;    ///< its C++ compiler wrapper; empty where none is needed
    std::filesystem::path work_directory;  ///< exists; on a file system that all machines see
    /// Called with a line for people about what a run waits for, such as a place in a queue; may be empty.
    std::function<void(const std::string&)> on_news{};
};

}  // namespace bcastgen
