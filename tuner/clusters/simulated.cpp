#include "tuner/clusters/simulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "planner/formats/simgrid.hpp"
#include "tuner/clusters/program_cache.hpp"
#include "tuner/clusters/simulation_sources.hpp"

namespace bcastgen {

namespace {

constexpr const char* fat_tree_prefix = "fat-tree-";  // of a model's name: over all switches of a fat tree

/// Under SimGrid's model of TCP, jobs of more ranks than this that move nothing but messages of at least so many bytes
/// have the links shared by tuner/simulation/sharing.cpp. It takes a tenth of the time there, and times move by less
/// than a percent; those of smaller messages may move by two. Tables rest on those of fewer ranks to the last digit.
constexpr std::size_t most_ranks_shared_by_simgrid = 256;
constexpr std::size_t least_shared_bytes = std::size_t{4} << 20;

/// The model that a choice comes to, apart from the routes.
NetworkModel resolved(const Network& network, NetworkModel choice) {
    if (choice != NetworkModel::automatic && choice != NetworkModel::fat_tree) return choice;
    const bool fast = std::any_of(network.machines.begin(), network.machines.end(),
                                  [](const Machine& machine) { return machine.port.bandwidth_Bps > gigabit_Bps; });
    return fast ? NetworkModel::fabric : NetworkModel::realistic;
}

std::string platform_of(const Network& network, NetworkModel choice) {
    const bool software = resolved(network, choice) == NetworkModel::fabric;
    return choice == NetworkModel::fat_tree ? simgrid_fat_tree_platform(network, software)
                                            : simgrid_platform(network, software);
}

class SimulatedCluster : public Cluster {
  public:
    SimulatedCluster(ClusterRequest request, NetworkModel choice)
        : request_(std::move(request)),
          model_(resolved(request_.network, choice)),
          model_name_(simulated_network(request_.network, choice)),
          platform_text_(platform_of(request_.network, choice)) {
        if (choice == NetworkModel::fat_tree) host_names_ = fat_tree_names(request_.network);
    }

    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }
    [[nodiscard]] std::string network_model() const override { return model_name_; }
    [[nodiscard]] std::optional<CostedNetwork> costed_network() const override {
        return as_simulated(request_.network, model_name_);
    }

    void prepare() override {
        if (find_program("smpirun").empty()) {
            throw OutsideFailure(
                "smpirun is not in PATH; the simulated cluster needs SimGrid (Debian: libsimgrid-dev)");
        }
        write_file(platform(), platform_text_);
        if (model_ == NetworkModel::fabric) preload_ = compile_preload("libfabric.so", {"software.cpp", "queues.cpp"});
    }

    std::filesystem::path compile(const ProgramSources& program) override {
        // One process runs all ranks, each with its own copy of the program's variables. GNU unique symbols would be
        // the same in all copies. To look up inline functions by name takes a tenth of what a small simulation takes.
        return compile_program(program, "smpicxx", {"-fno-gnu-unique", "-fvisibility-inlines-hidden"},
                               request_.work_directory / "simulated");
    }

    JobOutcome run(const Job& job) override {
        std::string hosts;
        std::string played;  // machines, by rank
        const std::vector<int> machines = machine_by_rank(job);
        for (const int machine : machines) {
            const std::string& name = request_.network.machines[static_cast<std::size_t>(machine)].name;
            hosts += (host_names_.empty() ? name : host_names_[static_cast<std::size_t>(machine)]) + "\n";
            played += (played.empty() ? "" : ",") + name;
        }
        const std::filesystem::path host_file = request_.work_directory / "simulated.hosts";
        write_file(host_file, hosts);
        const std::size_t ranks = machines.size();
        const std::filesystem::path preload = preload_for(job, ranks);
        Command command;
        command.words = {"smpirun",           "-np",       std::to_string(ranks), "-platform",
                         platform().string(), "-hostfile", host_file.string()};
        if (!preload.empty())
            command.words.insert(command.words.end(), {"-wrapper", "env LD_PRELOAD=" + preload.string()});
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
    /// What stands aside functions of SimGrid's in this job; empty: nothing.
    std::filesystem::path preload_for(const Job& job, std::size_t ranks) {
        const bool is_long = ranks > most_ranks_shared_by_simgrid && job.least_message_bytes >= least_shared_bytes;
        if (model_ != NetworkModel::realistic || !is_long) return preload_;
        if (sharing_.empty()) sharing_ = compile_preload("libsharing.so", {"sharing.cpp"});
        return sharing_;
    }

    /// Functions that stand aside SimGrid's own: they need its headers, and fit the version that is installed here.
    [[nodiscard]] std::filesystem::path compile_preload(const std::string& name,
                                                        const std::vector<std::string>& sources) const {
        const std::filesystem::path directory = request_.work_directory / "simulation";
        ProgramSources preload;
        preload.name = name;
        preload.include_directories = {directory};
        for (const EmbeddedFile& file : simulation_sources()) {
            const std::filesystem::path path = directory / file.name;
            std::filesystem::create_directories(path.parent_path());
            write_file(path, file.text);
            if (std::find(sources.begin(), sources.end(), path.filename()) != sources.end())
                preload.sources.push_back(path);
        }
        return compile_program(preload, "g++", {"-shared", "-fPIC"}, directory);
    }

    [[nodiscard]] std::filesystem::path platform() const { return request_.work_directory / "simulated.platform.xml"; }

    [[nodiscard]] std::vector<std::string> settings() const {
        std::vector<std::string> settings = {
            "smpi/simulate-computation:no",
            // A send that is not waited for would not bound how many segments are under way.
            "smpi/send-is-detached-thresh:0",
            // What asking whether a request has completed takes: by default 100 us, and more each time.
            model_ == NetworkModel::fabric ? "smpi/test:5e-8" : "smpi/test:1e-6",
            "smpi/grow-injected-times:no",
            // The collectives around the measured ones, by algorithms that do not take minutes on hundreds of machines
            // as SimGrid's defaults do, and that do not broadcast, for ranks change the broadcast's algorithm
            // meanwhile.
            "smpi/allreduce:rdb",
            "smpi/allgather:bruck",
            "smpi/gather:ompi_binomial",
        };
        if (model_ != NetworkModel::realistic) {
            // The factors are lists of size:factor; a bare number makes SimGrid 3.32 crash.
            settings.insert(settings.end(), {"smpi/bw-factor:0:1", "smpi/lat-factor:0:1", "network/crosstraffic:0"});
        }
        // A stream of TCP's is limited by window and latency; a card's is not.
        if (model_ == NetworkModel::fabric) settings.emplace_back("network/TCP-gamma:0");
        return settings;
    }

    ClusterRequest request_;
    NetworkModel model_;
    std::string model_name_;
    std::string platform_text_;
    std::filesystem::path preload_;        // empty: none
    std::filesystem::path sharing_;        // for long jobs; empty: none so far
    std::vector<std::string> host_names_;  // by machine; empty: as the machines
};

}  // namespace

const std::map<std::string, NetworkModel>& network_models() {
    static const std::map<std::string, NetworkModel> models{{"auto", NetworkModel::automatic},
                                                            {"default", NetworkModel::realistic},
                                                            {"ideal", NetworkModel::ideal},
                                                            {"fabric", NetworkModel::fabric},
                                                            {"fat-tree", NetworkModel::fat_tree}};
    return models;
}

std::string simulated_network(const Network& network, NetworkModel choice) {
    const NetworkModel model = resolved(network, choice);
    const auto row = std::find_if(network_models().begin(), network_models().end(),
                                  [&](const auto& one) { return one.second == model; });
    if (choice != NetworkModel::fat_tree) return row->first;
    return model == NetworkModel::realistic ? "fat-tree" : fat_tree_prefix + row->first;
}

NetworkModel model_of(const std::string& simulated_network) {
    const std::string prefix = fat_tree_prefix;
    const bool over_fat_tree = simulated_network.rfind(prefix, 0) == 0;
    const auto row = network_models().find(over_fat_tree ? simulated_network.substr(prefix.size()) : simulated_network);
    const bool known =
        row != network_models().end() && (row->second == NetworkModel::ideal || row->second == NetworkModel::fabric);
    return known ? row->second : NetworkModel::realistic;
}

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
