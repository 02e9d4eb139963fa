#include "tuner/clusters/simulated.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "planner/formats/simgrid.hpp"
#include "tuner/clusters/program_cache.hpp"

namespace bcastgen {

namespace {

class SimulatedCluster : public Cluster {
  public:
    SimulatedCluster(ClusterRequest request, NetworkModel model)
        : request_(std::move(request)),
          model_(model),
          platform_text_(model == NetworkModel::fat_tree ? simgrid_fat_tree_platform(request_.network)
                                                         : simgrid_platform(request_.network)) {
        if (model == NetworkModel::fat_tree) host_names_ = fat_tree_names(request_.network);
    }

    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }

    void prepare() override {
        if (find_program("smpirun").empty()) {
            throw OutsideFailure(
                "smpirun is not in PATH; the simulated cluster needs SimGrid (Debian: libsimgrid-dev)");
        }
        write_file(platform(), platform_text_);
    }

    std::filesystem::path compile(const ProgramSources& program) override {
        // One process runs all ranks, each with its own copy of the program's variables. GNU unique symbols would be
        // the same in all copies.
        return compile_program(program, "smpicxx", {"-fno-gnu-unique"}, request_.work_directory / "simulated");
    }

    JobOutcome run(const Job& job) override {
        std::string hosts;
        std::string played;  // machines, by rank
        for (const int machine : job.machines) {
            const std::string& name = request_.network.machines[static_cast<std::size_t>(machine)].name;
            for (int rank = 0; rank < job.ranks_per_machine; ++rank) {
                hosts += (host_names_.empty() ? name : host_names_[static_cast<std::size_t>(machine)]) + "\n";
                played += (played.empty() ? "" : ",") + name;
            }
        }
        const std::filesystem::path host_file = request_.work_directory / "simulated.hosts";
        write_file(host_file, hosts);
        const std::size_t ranks = job.machines.size() * static_cast<std::size_t>(job.ranks_per_machine);
        Command command;
        command.words = {"smpirun",           "-np",       std::to_string(ranks), "-platform",
                         platform().string(), "-hostfile", host_file.string()};
        for (const std::string& setting : settings()) command.words.push_back("--cfg=" + setting);
        command.words.emplace_back("--log=root.thres:critical");
        command.words.push_back(job.program.string());
        command.words.insert(command.words.end(), job.arguments.begin(), job.arguments.end());
        command.environment = job.environment;
        if (!host_names_.empty()) command.environment["BCASTGEN_MACHINES"] = played;
        command.time_limit = job.time_limit;
        command.on_line = job.on_line;
        CommandOutcome outcome = run_command(command);
        return {outcome.exit_code, outcome.timed_out, std::move(outcome.output), std::move(outcome.errors)};
    }

    void clean_up() override {}  // nothing but files was made

  private:
    [[nodiscard]] std::filesystem::path platform() const { return request_.work_directory / "simulated.platform.xml"; }

    [[nodiscard]] std::vector<std::string> settings() const {
        std::vector<std::string> settings = {
            "smpi/simulate-computation:no",
            // A send that is not waited for would not bound how many segments are under way.
            "smpi/send-is-detached-thresh:0",
            // What asking whether a request has completed takes: by default 100 us, and more each time.
            "smpi/test:1e-6",
            "smpi/grow-injected-times:no",
            // The collectives around the measured ones, by algorithms that do not take minutes on hundreds of machines
            // as SimGrid's defaults do, and that do not broadcast, for ranks change the broadcast's algorithm
            // meanwhile.
            "smpi/allreduce:rdb",
            "smpi/allgather:bruck",
            "smpi/gather:ompi_binomial",
        };
        if (model_ == NetworkModel::ideal) {
            // The factors are lists of size:factor; a bare number makes SimGrid 3.32 crash.
            settings.insert(settings.end(), {"smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0"});
        }
        return settings;
    }

    ClusterRequest request_;
    NetworkModel model_;
    std::string platform_text_;
    std::vector<std::string> host_names_;  // by machine; empty: as the machines
};

}  // namespace

std::unique_ptr<Cluster> make_simulated_cluster(ClusterRequest request, NetworkModel model) {
    return std::make_unique<SimulatedCluster>(std::move(request), model);
}

const std::vector<std::string>& simgrid_broadcasts() {
    static const std::vector<std::string> names = {"SMP_binary",
                                                   "SMP_binomial",
                                                   "SMP_linear",
                                                   "arrival_pattern_aware",
                                                   "arrival_pattern_aware_wait",
                                                   "arrival_scatter",
                                                   "binomial_tree",
                                                   "default",
                                                   "flattree",
                                                   "flattree_pipeline",
                                                   "impi",
                                                   "mpich",
                                                   "mvapich2",
                                                   "mvapich2_inter_node",
                                                   "mvapich2_intra_node",
                                                   "mvapich2_knomial_intra_node",
                                                   "ompi",
                                                   "ompi_pipeline",
                                                   "ompi_split_bintree",
                                                   "scatter_LR_allgather",
                                                   "scatter_rdb_allgather"};
    return names;
}

}  // namespace bcastgen
