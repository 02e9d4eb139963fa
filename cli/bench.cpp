#include "bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>

#include "bench_options.hpp"
#include "clusters.hpp"
#include "commands.hpp"
#include "diagnostic.hpp"
#include "emitter.hpp"
#include "hostlist.hpp"
#include "input_file.hpp"
#include "lab_options.hpp"
#include "library_build.hpp"
#include "library_directory.hpp"
#include "mpiexec_cluster.hpp"
#include "parse_error.hpp"
#include "progress.hpp"
#include "site_input.hpp"
#include "slurm_cluster.hpp"
#include "temporary_directory.hpp"
#include "terminal.hpp"

namespace bcastgen {

namespace {

constexpr const char* examples = R"(Examples:
  bcastgen bench topologies/fsu-5.yaml --on simulated                    every algorithm on a simulated cluster
  bcastgen bench topologies/fsu-5.yaml --on simulated --sizes 64K,1M --algorithms native,linear,smpi:ompi
  bcastgen bench topologies/fsu-1.yaml --on simulated --arrival late:0.2:16 --algorithms native,binary
  bcastgen bench my-cluster.yaml --on mpiexec --hosts "n[0-15]" --mpi openmpi --tuning tuning.yaml
  bcastgen bench topologies/fsu-5.yaml --on simulated --segments 4K,8K --format csv > times.csv

Algorithms: pingpong (time to one peer and back, halved), native (the MPI's own), tuned (what the decision table says),
the library's own by name, all; smpi:NAME is SimGrid's broadcast of that name (simulated cluster only).)";

using Writer = std::string (*)(const BenchResult&);
const std::map<std::string, Writer> formats{{"text", bench_text}, {"csv", bench_csv}, {"json", bench_json}};

struct Options {
    std::string topology;
    std::string tuning;
    std::string mpi = "mpich";
    std::string hosts;
    std::string network = "default";
    std::string format = "text";
    LabOptions lab;
    BenchOptions bench;
};

/// --hosts, or the batch system's.
std::vector<std::string> hosts_of(const Options& options) {
    if (options.bench.on == "slurm") return allocated_hosts();
    if (options.bench.on != "mpiexec") return {};
    if (options.hosts.empty()) return batch_hosts();
    try {
        return expand_hostlist(options.hosts);
    } catch (const ParseError& error) {
        throw InputErrors({{"--hosts", 1, static_cast<int>(error.offset()) + 1, error.what(), options.hosts}});
    }
}

/// Options that the cluster would not heed.
std::vector<Diagnostic> misplaced(const Options& options) {
    std::vector<Diagnostic> errors;
    const auto goes_with = [&](const std::string& option, bool given, const std::string& cluster) {
        if (given && options.bench.on != cluster)
            errors.push_back({option, 0, 0, fmt::format("goes with --on {} only", cluster), ""});
    };
    goes_with("--hosts", !options.hosts.empty(), "mpiexec");
    goes_with("--loss", options.lab.loss > 0, "emulated");
    goes_with("--rate", !options.lab.rate.empty(), "emulated");
    goes_with("--network", options.network != "default", "simulated");
    return errors;
}

/// Takes all machines that have a host unless told which.
void choose_machines(const Network& network, const std::vector<std::string>& hosts, BenchOptions& bench) {
    if (hosts.empty() || !bench.machines.empty()) return;
    std::vector<std::string> names;
    for (const auto& [machine, host] : machines_of_hosts(network, hosts)) {
        names.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    }
    bench.machines = fold_hostlist(names);
}

void expect_hosts(const Network& network, const std::vector<std::string>& hosts, const std::vector<int>& machines) {
    if (hosts.empty()) return;
    const std::map<int, std::string> known = machines_of_hosts(network, hosts);
    std::vector<Diagnostic> errors;
    for (const int machine : machines) {
        if (known.contains(machine)) continue;
        const std::string& name = network.machines[static_cast<std::size_t>(machine)].name;
        errors.push_back(
            {"--machines", 0, 0, fmt::format("{} is not among the hosts {}", name, fold_hostlist(hosts)), ""});
    }
    if (!errors.empty()) throw InputErrors(errors);
}

/// Real hosts must see the files of the run, as they see the directory that the user works in.
std::filesystem::path place_for_files(const std::string& on, const std::vector<std::string>& hosts) {
    const bool elsewhere = on == "slurm" || !hosts.empty();
    return elsewhere ? std::filesystem::current_path() : std::filesystem::temp_directory_path();
}

bool all_bytes_right(const BenchResult& result) {
    for (const BenchRow& row : result.rows) {
        if (!row.bytes_ok) print_error(fmt::format("{} delivered wrong bytes", row.algorithm));
    }
    return std::all_of(result.rows.begin(), result.rows.end(), [](const BenchRow& row) { return row.bytes_ok; });
}

int bench_command(Options options) {
    const Network network = load_topology(options.topology);
    std::vector<Diagnostic> errors = misplaced(options);
    const auto take = [&](const std::function<void()>& reading) {
        try {
            reading();
        } catch (const InputErrors& wrong) {
            errors.insert(errors.end(), wrong.diagnostics().begin(), wrong.diagnostics().end());
        }
    };
    std::vector<std::string> hosts;
    LabSettings lab;
    BenchRequest request;
    take([&] {
        hosts = hosts_of(options);
        choose_machines(network, hosts, options.bench);
    });
    take([&] { lab = lab_settings(options.lab); });
    options.bench.loss = lab.loss;
    take([&] {
        request = bench_request(network, options.bench);
        expect_hosts(network, hosts, request.machines);
    });
    if (!errors.empty()) throw InputErrors(errors);
    const DecisionTable table = load_table(network, options.tuning);
    const TemporaryDirectory work(place_for_files(options.bench.on, hosts));
    write_library(work.path() / "library", emit_library(network, table, "bcastgen bench"));
    ClusterRequest cluster_request{network, options.mpi, {}, work.path(), say};
    if (options.bench.on != "simulated")
        cluster_request.mpi_compiler = choose_compilers({options.mpi}).front().compiler;
    const std::unique_ptr<Cluster> cluster =
        make_cluster({options.bench.on, hosts, options.network == "ideal", lab}, cluster_request);
    if (options.bench.on == "emulated") warn_of_crowding(network, lab);
    cluster->prepare();
    std::filesystem::path program;
    {
        ProgressBar bar("compiling the measuring program");
        bar.show(0, 1);
        program = build_measuring_program(*cluster, work.path() / "library", work.path());
    }
    BenchResult result;
    {
        ProgressBar bar("measuring");
        result = bench(*cluster, network, program, work.path(), request,
                       [&](std::size_t done, std::size_t all) { bar.show(done, all); });
    }
    cluster->clean_up();
    fmt::print("{}", formats.at(options.format)(result));
    return all_bytes_right(result) ? exit_done : exit_found_wrong;
}

void add_what_to_run(CLI::App& command, BenchOptions& bench) {
    command.add_option("--machines", bench.machines, "Hostlist of the machines that take part, in rank order [all]");
    command.add_option("--root", bench.root, "Machine that broadcasts start from [the first]");
    command.add_option("--ranks-per-machine", bench.ranks_per_machine, "Ranks on every machine")->capture_default_str();
    command.add_option("--sizes", bench.sizes, "Message sizes")->capture_default_str();
    command.add_option("--algorithms", bench.algorithms, "Algorithms, or all")->capture_default_str();
    command
        .add_option("--segments", bench.segments, "Segment sizes, a row for each; auto tries some and shows the best")
        ->capture_default_str();
    command.add_option("--repetitions", bench.repetitions,
                       "Of each, with fresh content [10; 1 in a simulation, where all are alike]");
    command
        .add_option("--arrival", bench.arrival,
                    "When ranks enter: balanced; random:MAX_IF, up to so many T(m) after the root; "
                    "late:FRACTION:MAX_IF, each so late with that probability")
        ->capture_default_str();
    command.add_option("--seed", bench.seed, "Of the order of measurements and of arrivals")->capture_default_str();
}

}  // namespace

void register_bench(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "bench", "Time broadcasts on a cluster, all in one job, every byte checked", examples);
    const auto options = std::make_shared<Options>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")->required();
    command->add_option("--on", options->bench.on, "Cluster: simulated, emulated (root only), mpiexec or slurm")
        ->required()
        ->check(CLI::IsMember(cluster_names()));
    command->add_option("--mpi", options->mpi, "mpich or openmpi; in a simulation, whose rule native follows")
        ->check(CLI::IsMember({"mpich", "openmpi"}))
        ->capture_default_str();
    command->add_option("--hosts", options->hosts,
                        "mpiexec: hostlist of real hosts, named as the machines are [the batch system's, else all "
                        "ranks run here]");
    add_what_to_run(*command, options->bench);
    command
        ->add_option("--network", options->network,
                     "Simulated: default corrects times by message size; ideal is latency + bytes / bandwidth")
        ->check(CLI::IsMember({"default", "ideal"}))
        ->capture_default_str();
    add_lab_options(*command, options->lab);
    command->add_option("--tuning", options->tuning, "Decision table of tuned [predicted from the plan]")
        ->type_name("FILE");
    command->add_option("--format", options->format, "text, csv or json")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return bench_command(*options); }; });
}

}  // namespace bcastgen
