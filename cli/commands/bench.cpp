#include "tuner/bench/bench.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>

#include "base/diagnostic.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/bench_run.hpp"
#include "cli/options/cluster_options.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/site_input.hpp"
#include "cli/options/table_help.hpp"
#include "cli/terminal.hpp"
#include "tuner/bench/bench_options.hpp"

namespace bcastgen {

namespace {

constexpr const char* bench_examples = R"(Examples:
  bcastgen bench topologies/fsu-5.yaml --on simulated                    every algorithm on a simulated cluster
  bcastgen bench topologies/fsu-5.yaml --on simulated --sizes 64K,1M --algorithms native,linear,smpi:ompi
  bcastgen bench topologies/fsu-5.yaml --on simulated --algorithms tuned,opponent:circulant,opponent:two-level
  bcastgen bench topologies/fsu-1.yaml --on simulated --arrival late:0.2:16 --algorithms native,binary
  bcastgen bench topologies/fsu-1.yaml --on simulated --ranks-per-machine 4 --distribution cyclic
  bcastgen bench my-cluster.yaml --on mpiexec --hosts "n[0-15]" --mpi openmpi --tuning tuning.yaml
  bcastgen bench topologies/fsu-5.yaml --on simulated --segments 4K,8K --format csv > times.csv

Algorithms: pingpong (time to one peer and back, halved), native (the MPI's own), tuned (what the decision table says),
the library's own by name, or all of these; opponent:NAME is a broadcast of others, written for comparison (below);
smpi:NAME is SimGrid's broadcast of that name (simulated cluster only).)";

using BenchWriter = std::string (*)(const BenchResult&);
const std::map<std::string, BenchWriter> bench_formats{{"text", bench_text}, {"csv", bench_csv}, {"json", bench_json}};

struct BenchArguments {
    std::string topology;
    std::string tuning;
    std::string format = "text";
    ClusterChoice cluster;
    BenchOptions bench;
};

bool all_bytes_right(const BenchResult& result) {
    for (const BenchRow& row : result.rows) {
        if (!row.bytes_ok) print_error(fmt::format("{} delivered wrong bytes", row.algorithm));
    }
    return std::all_of(result.rows.begin(), result.rows.end(), [](const BenchRow& row) { return row.bytes_ok; });
}

int bench_command(BenchArguments options) {
    const Network network = load_topology(options.topology);
    std::vector<Diagnostic> errors = misplaced(options.cluster);
    std::vector<std::string> hosts;
    BenchRequest request;
    collect(errors, [&] {
        hosts = hosts_of(options.cluster);
        if (options.bench.machines.empty()) options.bench.machines = machines_on(network, hosts);
    });
    collect(errors, [&] { options.bench.loss = lab_settings(options.cluster.lab).loss; });
    collect(errors, [&] {
        options.bench.on = options.cluster.on;
        options.bench.mpi = options.cluster.mpi;
        request = bench_request(network, options.bench);
        expect_hosts(network, hosts, request.machines);
    });
    if (!errors.empty()) throw InputErrors(errors);
    const SitePlan site = make_site_plan(network);
    const DecisionTable table = load_table(network, site, options.tuning, costs_on(options.cluster, network));
    const BenchResult result = run_bench(network, site, table, options.cluster, hosts, request);
    fmt::print("{}", bench_formats.at(options.format)(result));
    return all_bytes_right(result) ? exit_done : exit_found_wrong;
}

void add_what_to_run(CLI::App& command, BenchOptions& bench) {
    command
        .add_option("--machines", bench.machines,
                    "Hostlist of the machines that take part, in rank order, or of partitions [all]")
        ->type_name("HOSTLIST");
    command.add_option("--root", bench.root, "Machine that broadcasts start from [the first by name]")
        ->type_name("MACHINE");
    command.add_option("--ranks-per-machine", bench.ranks_per_machine, "Ranks on every machine")->capture_default_str();
    command
        .add_option("--distribution", bench.distribution,
                    "Where ranks go that follow each other: block, to one machine until it has all of its ranks; "
                    "cyclic, round the machines")
        ->check(CLI::IsMember(distributions()))
        ->capture_default_str();
    command.add_option("--sizes", bench.sizes, "Message sizes: a list, where FROM-TO goes by factors of 4")
        ->capture_default_str();
    command.add_option("--algorithms", bench.algorithms, "Algorithms, or all")
        ->type_name("BROADCASTS")
        ->capture_default_str();
    command
        .add_option("--segments", bench.segments, "Segment sizes, a row for each; auto tries some and shows the best")
        ->capture_default_str();
    command.add_option("--repetitions", bench.repetitions,
                       "Broadcasts of each, with fresh content [10; 1 in a simulation, where all are alike]");
    command
        .add_option("--arrival", bench.arrival,
                    "When ranks enter: balanced; random:MAX_IF, each up to MAX_IF times T(m) after the root; "
                    "late:FRACTION:MAX_IF, with probability FRACTION each MAX_IF times T(m) late")
        ->capture_default_str();
    command.add_option("--seed", bench.seed, "Seed for the order of measurements and for arrivals")
        ->capture_default_str();
}

}  // namespace

void register_bench(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "bench", "Time broadcasts on a cluster, all in one job, every byte checked",
                    fmt::format("{}\n\nThe library's own:\n{}\n\nOpponents, opponent:NAME:\n{}\n\nThe MPI's own, or "
                                "ompi:all, mpich:all:\n{}\n\nClusters:\n{}",
                                bench_examples, algorithm_lines(), opponent_lines(), own_lines(), cluster_lines()));
    const auto options = std::make_shared<BenchArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    add_cluster_options(*command, options->cluster);
    add_what_to_run(*command, options->bench);
    command
        ->add_option("--tuning", options->tuning,
                     "Decision table that the algorithm tuned follows [predicted for the cluster]")
        ->type_name("FILE");
    command->add_option("--format", options->format, "text, csv or json")
        ->check(CLI::IsMember(bench_formats))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return bench_command(*options); }; });
}

}  // namespace bcastgen
