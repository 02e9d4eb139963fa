#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "base/hash.hpp"
#include "base/hostlist.hpp"
#include "base/outside_failure.hpp"
#include "base/printable.hpp"
#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "base/units.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/planned_knowledge.hpp"
#include "cli/commands/tune_job.hpp"
#include "cli/commands/tuned_table.hpp"
#include "cli/options/cluster_options.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/output_file.hpp"
#include "cli/options/result_format.hpp"
#include "cli/options/table_help.hpp"
#include "cli/progress.hpp"
#include "cli/terminal.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/decision/tuning_writer.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/program_sources.hpp"
#include "tuner/measure/shape.hpp"
#include "tuner/measure/trace.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/search/tune_options.hpp"
#include "tuner/store/measured_savings.hpp"

namespace bcastgen {

namespace {

constexpr const char* tune_examples = R"(Examples:
  bcastgen tune topologies/fsu-5.yaml --on simulated --time-budget 60s    what pays on a simulated cluster
  bcastgen tune my-cluster.yaml --on mpiexec --hosts "n[0-15]" --mpi openmpi --time-budget 30m
  bcastgen tune my-cluster.yaml --on slurm --resume --time-budget 2h      in a batch job; again in the next one
  bcastgen tune my-cluster.yaml --on slurm --like traces/job1 --like traces/job2    where these jobs spend their time
  bcastgen tune my-cluster.yaml --on slurm --ranks-per-machine 1,32 --sizes 1K-64M --machine-counts 2,8,64
  bcastgen my-cluster.yaml --tuning tuning.yaml                           then: the library with that table
  bcastgen tune my-cluster.yaml --on slurm --mpi openmpi --algorithms ompi:all   for Open MPI's own rules (export)

Every sample is stored at once (--db): after an interruption the same command with --resume goes on where it stopped and
measures nothing twice. A rule that does not beat the MPI's own broadcast is not written.)";

// A link may prove to be so much faster than the topology file says.
constexpr double wire_tolerance = 1.1;
// What shapers, switches and sockets may let pass at once; in a simulation there are none.
constexpr double wire_burst_bytes = 65536;

struct TuneArguments {
    std::string topology;
    std::string output = "tuning.yaml";
    std::string store = "tuning.db";
    bool resume = false;
    std::string format = "text";
    ClusterChoice cluster;
    TuneOptions tune;
    std::vector<std::string> like;  ///< traces
};

/// What times depend on beside the cluster: the emitted code and the measuring program, but not the decision table.
std::string library_hash(const std::vector<EmittedFile>& files) {
    Hash hash;
    for (const EmittedFile& file : files) {
        if (file.path.starts_with("bcast/") || file.path == "site_plan.hpp") hash.add(file.path + '\n' + file.text);
    }
    for (const EmbeddedFile& source : program_sources()) hash.add(source.text);
    return fmt::format("{:016x}", hash.value());
}

std::string machine_list(const Network& network, const std::vector<int>& machines) {
    std::vector<std::string> names;
    for (const int machine : machines) names.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    return fold_hostlist(names);
}

/// What goes on: a bar on a terminal, a line for each step elsewhere.
class Talk {
  public:
    explicit Talk(Clock::time_point begin) : begin_(begin), bar_("tuning") {}
    void step(const std::string& line) {
        if (isatty(STDERR_FILENO) == 1) return;
        say(fmt::format("{:6.1f} s  {}", std::chrono::duration<double>(Clock::now() - begin_).count(), line));
    }
    void progress(double fraction) {
        constexpr std::size_t all = 1000;
        bar_.show(static_cast<std::size_t>(fraction * static_cast<double>(all)), all);
    }

  private:
    Clock::time_point begin_;
    ProgressBar bar_;
};

/// Goes on with what the store has, or begins. The run is ours alone then.
std::int64_t run_in(TuningStore& store, const StoredRun& run, bool resume) {
    if (resume) {
        if (const std::optional<std::int64_t> found = store.run_to_resume(run.conditions)) {
            store.claim(*found);
            store.resume_run(*found, run);
            say(fmt::format("resuming: {} samples are there", store.samples(*found).size()));
            return *found;
        }
    }
    const std::int64_t begun = store.begin_run(run);
    store.claim(begun);
    return begun;
}

/// Refuses at once what run_in() would refuse once the MPI's version is known, which takes compiling and a job.
void expect_resumable(TuningStore& store, const RunConditions& conditions) {
    if (const std::optional<std::int64_t> found = store.run_to_resume(conditions)) store.claim(*found);
}

/// When the budget ends that began so.
Clock::time_point end_of(const TuneRequest& request, Clock::time_point begin) {
    if (request.budget_s <= 0) return Clock::time_point::max();
    return begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(request.budget_s));
}

/// The measuring program, compiled within the budget.
std::filesystem::path compiled(Cluster& cluster, const std::filesystem::path& work, Clock::time_point end) {
    try {
        return build_measuring_program(cluster, work / "library", work, end);
    } catch (const OutsideFailure&) {
        if (Clock::now() < end) throw;
        throw OutsideFailure(
            "the time budget ended while the measuring program was compiled, and nothing is measured; give more with "
            "--time-budget (what is compiled by now is kept)");
    }
}

/// All but the MPI's version, which its programs alone can tell.
RunConditions conditions_of(const ClusterChoice& choice, const std::vector<std::string>& hosts, const Network& network,
                            const SitePlan& site, const std::vector<EmittedFile>& files, const TuneRequest& request) {
    RunConditions on;
    on.topology = network.name;
    on.plan_hash = fmt::format("{:016x}", site.hash);
    on.library_hash = library_hash(files);
    on.cluster = choice.on;
    on.mpi = choice.mpi;
    const ClusterKind& kind = cluster_kind(choice.on);
    if (kind.heeds("--network")) on.network = resolved_network(choice, network);
    on.rate = choice.lab.rate;
    on.root = network.machines[static_cast<std::size_t>(request.root)].name;
    on.machine_list = machine_list(network, request.machines);
    if (kind.heeds("--loss")) on.loss = fmt::format("{}", choice.lab.loss);
    if (kind.heeds("--hosts")) on.hosts = hosts.empty() ? "this host" : "real hosts";
    return on;
}

std::string version_of_mpi(const Measuring& measuring, const TuneRequest& request, Clock::time_point end) {
    MeasureRequest all_machines;
    all_machines.machines = request.machines;
    all_machines.root = request.root;
    all_machines.ranks_per_machine = request.machines.size() > 1 ? 1 : request.ranks_per_machine.back();
    if (end != Clock::time_point::max()) {
        const auto left = std::chrono::ceil<std::chrono::seconds>(end - Clock::now());
        all_machines.time_limit = std::max(left, std::chrono::seconds(1));
    }
    return mpi_version(measuring.cluster, measuring.network, measuring.program, measuring.work_directory, all_machines);
}

/// What there is to do next.
void tell_next(const TuneArguments& options, const TuneResult& result) {
    if (result.foreseen > 0) {
        say(
            fmt::format("{} of the table's message sizes could not be validated in time and stand as predicted: the "
                        "model has been right so far, or the search found them far ahead",
                        result.foreseen));
    }
    if (result.unvalidated > 0) {
        say(
            fmt::format("{} of the table's message sizes could not be validated in time and stay native; go on with "
                        "--resume",
                        result.unvalidated));
    } else if (result.cut_short) {
        say("the time budget ended before the search did; go on with --resume");
    }
    if (is_standard_stream(options.output)) return;
    if (names_own(result.table)) {
        say(fmt::format("next: bcastgen export {} {}",
                        options.cluster.mpi == mpi_name(MpiFamily::open_mpi) ? "ompi-rules" : "mpich-json",
                        options.output));
    } else {
        say(fmt::format("next: bcastgen {} --tuning {}", options.topology, options.output));
    }
}

/// What is asked for, and the hosts to run on. Throws InputErrors with everything that is wrong.
TuneRequest request_of(TuneArguments& options, const Network& network, std::vector<std::string>& hosts) {
    std::vector<Diagnostic> errors = misplaced(options.cluster);
    TuneRequest request;
    collect(errors, [&] {
        hosts = hosts_of(options.cluster);
        if (options.tune.machines.empty()) options.tune.machines = machines_on(network, hosts);
    });
    collect(errors, [&] { (void)lab_settings(options.cluster.lab); });
    collect(errors, [&] {
        std::vector<Trace> traces;
        for (const std::string& file : options.like) traces.push_back(read_trace(file));
        options.tune.like = workload_of(traces);
    });
    collect(errors, [&] {
        options.tune.on = options.cluster.on;
        options.tune.mpi = options.cluster.mpi;
        request = tune_request(network, options.tune);
        expect_hosts(network, hosts, request.machines);
    });
    for (const auto& [option, file] : {std::pair("--db", &options.store), std::pair("--output", &options.output)}) {
        for (const Diagnostic& error : unwritable(option, *file)) errors.push_back(error);
    }
    if (is_standard_stream(options.output) && options.format == "json") {
        errors.push_back({"--format", 0, 0, "json and the table (--output -) both want stdout", ""});
    }
    if (!errors.empty()) throw InputErrors(errors);
    return request;
}

/// A job that is submitted has neither stdin nor stdout of ours.
void expect_files(const TuneArguments& options) {
    if (!is_standard_stream(options.topology) && !is_standard_stream(options.output) && options.format == "text")
        return;
    throw InputErrors(
        {{"bcastgen tune", 0, 0,
          "submits itself as a job, which has no stdin or stdout here: name files, leave out --format, or "
          "run it inside a job",
          ""}});
}

void print_tuned(const TuneArguments& options, const Network& network, const RunConditions& on,
                 const TuneResult& result, Clock::time_point begin) {
    const std::vector<Saving> savings = measured_savings(result.validations, options.tune.like);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (options.format == "json") {
        print_json({{"format", "bcastgen-tune/1"},
                    {"topology", network.name},
                    {"cluster", on.cluster},
                    {"mpi", mpi_in_words(on)},
                    {"table", printable(options.output)},
                    {"store", printable(options.store)},
                    {"measured", result.tried},
                    {"ruled_out", result.pruned},
                    {"candidates", result.exhaustive},
                    {"seconds", seconds},
                    {"cut_short", result.cut_short},
                    {"rows", tuned_rows_json(result.table)},
                    {"savings", savings_json(savings)}});
        return;
    }
    const bool to_stdout = is_standard_stream(options.output);  // then it has the table alone
    if (to_stdout && is_quiet()) return;
    fmt::print(to_stdout ? stderr : stdout, "{}{}{} candidates measured and {} ruled out of {}, {:.0f} s{}\n",
               tuned_table_text(network, on, result), savings_text(savings, options.tune.like), result.tried,
               result.pruned, result.exhaustive, seconds, to_stdout ? "" : "; table in " + options.output);
}

int tune_command(const TuneArguments& given) {
    const Clock::time_point begin = Clock::now();
    TuneArguments options = given;
    const Network network = load_topology(options.topology);
    std::vector<std::string> hosts;
    TuneRequest request = request_of(options, network, hosts);
    const SitePlan site = make_site_plan(network);
    const MessageCosts costs = costs_on(options.cluster, network);
    const DecisionTable predicted = default_table(network, site, costs);
    const std::vector<EmittedFile> files = emit_library(network, site, predicted, "bcastgen tune");
    StoredRun run;
    run.conditions = conditions_of(options.cluster, hosts, network, site, files, request);
    const ClusterKind& kind = cluster_kind(options.cluster.on);
    if (kind.queues) {
        if (hosts.empty()) {
            if (options.resume && std::filesystem::exists(options.store)) {
                TuningStore store(options.store);  // closed again: the job is to have it
                expect_resumable(store, run.conditions);
            }
            expect_files(options);
            return tune_in_one_job(network, request);
        }
        heed_time_limit(request, begin);
    }

    TuningStore store(options.store);
    if (options.resume) expect_resumable(store, run.conditions);
    const TemporaryDirectory work(place_for_files(options.cluster, hosts));
    write_library(work.path() / "library", with_facts_alone(files));
    const std::unique_ptr<Cluster> cluster = ready_cluster(options.cluster, hosts, network, work.path());
    Talk talk(begin);
    talk.step("compiling the measuring program");
    Measuring measuring{*cluster, network, {}, work.path(), request.root, kind.exact, {}};
    const Clock::time_point end = end_of(request, begin);
    {
        const Waiting waiting("compiling the measuring program");
        measuring.program = compiled(*cluster, work.path(), end);
    }

    run.conditions.mpi_version = version_of_mpi(measuring, request, end);
    run.topology_yaml = read_input_file(options.topology);
    run.ranks_per_machine = options.tune.ranks_per_machine;
    run.settings = settings_json(request);
    const std::int64_t id = run_in(store, run, options.resume);

    PlannedBounds bounds(network, request);
    TuneKnowledge knowledge;
    knowledge.tree_bounds = [&](const std::string& algorithm, int machines) { return bounds.of(algorithm, machines); };
    knowledge.wire = {wire_tolerance * reference_bandwidth_Bps(network, request.machines),
                      measuring.exact ? 0 : wire_burst_bytes};
    knowledge.predicted = [&](int machines, std::size_t bytes) { return predicted_choice(predicted, machines, bytes); };
    knowledge.predicted_above = [&](int machines, std::size_t bytes) {
        return predicted_above(predicted, machines, bytes);
    };
    CasePrices prices(network, request, costs);
    knowledge.price_us = [&](int machines, const MeasureCase& one, RuleBegin above) {
        return prices.of_us(machines, one, above);
    };
    knowledge.may_join = [&](int machines, const MessageRule& rule, std::size_t own_above, std::size_t above) {
        return prices.may_join(machines, rule, own_above, above);
    };
    knowledge.on_step = [&](const std::string& line) { talk.step(line); };
    knowledge.on_progress = [&](double fraction) { talk.progress(fraction); };
    const TuneResult result = tune(measuring, store, id, request, knowledge, begin);
    cluster->clean_up();

    write_output_file(
        options.output,
        write_tuning(result.table, {network.name, site.hash, run.conditions.cluster, mpi_in_words(run.conditions),
                                    static_cast<int>(request.machines.size()), run.conditions.network}));
    print_tuned(options, network, run.conditions, result, begin);
    tell_next(options, result);
    return exit_done;
}

void add_what_to_tune(CLI::App& command, TuneOptions& tune, std::vector<std::string>& like) {
    command.add_option("--machines", tune.machines, "Hostlist of the machines that take part, or of partitions [all]")
        ->type_name("HOSTLIST");
    command.add_option("--root", tune.root, "Machine that broadcasts start from [the first by name]")
        ->type_name("MACHINE");
    command.add_option(
        "--machine-counts", tune.machine_counts,
        "Numbers of machines to broadcast to: 2,8,32 [2,3,5,8,16,… and all, and 1 where it has several ranks]");
    command.add_option("--ranks-per-machine", tune.ranks_per_machine, "Ranks on every machine: a list")
        ->capture_default_str();
    command
        .add_option("--sizes", tune.sizes, "Message sizes to begin with: a list, where FROM-TO goes by factors of 4")
        ->capture_default_str();
    command.add_option("--algorithms", tune.algorithms, "Algorithms to choose from, or all")
        ->type_name("ALGORITHMS")
        ->capture_default_str();
    command
        .add_option("--arrival", tune.arrivals,
                    "balanced, imbalanced (all but the root enter at random, judged by the ranks' mean time), or both")
        ->capture_default_str();
    command
        .add_option("--time-budget", tune.time_budget,
                    "Limit for the whole run: 90s, 10m, 2h, or none; the table holds what was found by then")
        ->capture_default_str();
    command
        .add_option(
            "--like", like,
            "A job's traces (value that BCASTGEN_TRACE had): its sizes and communicators come first, by the time "
            "that they cost; may be given several times")
        ->type_name("FILE")
        ->excludes("--sizes")
        ->excludes("--machine-counts")
        ->excludes("--ranks-per-machine");
    command.add_option("--margin", tune.margin, "Fraction by which a rule must beat native")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
}

}  // namespace

void register_tune(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(
        application, "tune", "Find the best algorithm and segment size for every message size, by measuring",
        fmt::format("{}\n\nAlgorithms:\n{}\n\nThe MPI's own, or ompi:all, mpich:all:\n{}\n\nClusters:\n{}",
                    tune_examples, algorithm_lines(), own_lines(), cluster_lines()));
    const auto options = std::make_shared<TuneArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    add_cluster_options(*command, options->cluster);
    add_what_to_tune(*command, options->tune, options->like);
    command->add_flag("--resume", options->resume, "Go on with the store's run on this cluster, if there is one");
    command->add_option("--db", options->store, "Store of all samples (SQLite)")
        ->type_name("FILE")
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "Decision table to write; - is stdout")
        ->type_name("FILE")
        ->capture_default_str();
    add_result_format(*command, options->format);
    command->callback([options, &invocation] {
        invocation.run = [options] {
            try {
                return tune_command(*options);
            } catch (const Interrupted&) {
                say(fmt::format("all samples so far are in {}: go on with --resume", options->store));
                throw;
            }
        };
    });
}

}  // namespace bcastgen
