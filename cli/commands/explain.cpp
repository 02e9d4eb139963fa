#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/index.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/bench_run.hpp"
#include "cli/options/site_input.hpp"
#include "cli/options/taking_part.hpp"
#include "planner/decision/explanation.hpp"
#include "planner/plan/plan_options.hpp"
#include "planner/print/explanation_text.hpp"
#include "tuner/bench/bench_options.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr const char* explain_examples = R"(Examples:
  bcastgen explain topologies/fsu-5.yaml --size 300K
  bcastgen explain my-cluster.yaml --tuning tuning.yaml --root n7 --size 1M --machines n[0-15] --ranks-per-machine 64
  bcastgen explain topologies/fsu-5.yaml --size 1M --check                       with what the simulated cluster says
  bcastgen explain topologies/fsu-5.yaml --size 1M --check --format json         times in microseconds)";

// So many of the other algorithms are simulated, those of least price.
constexpr std::size_t most_checked = 3;

struct ExplainArguments {
    std::string topology;
    std::string tuning;
    std::string size;
    std::string format = "text";
    bool check = false;
    PlanOptions plan;  ///< root and machines
    AskedBroadcast asked;
};

std::string comma_separated(const std::set<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ","));
}

/// How a simulated job is asked for the choice: as the library makes it, by the table, where it makes the same one.
const char* measured_as(const Explanation& explained) {
    const bool by_table = explained.asked.arrival == bcast::Arrival::balanced;
    return by_table ? measured::tuned : bcast::name_of(explained.answer.choice.algorithm);
}

/// The choice and the next best, in one simulated job. Of all their segment sizes, since bench takes lists of both.
BenchResult simulate(const SiteInput& site, const ExplainArguments& options, const Explanation& explained) {
    const auto text_of = [](std::size_t segment_bytes) {
        return segment_bytes == 0 ? "max" : std::to_string(segment_bytes);
    };
    std::set<std::string> algorithms{measured_as(explained)};
    std::set<std::string> segments{text_of(explained.answer.choice.segment_bytes)};
    for (std::size_t i = 0; i < std::min(most_checked, explained.others.size()); ++i) {
        algorithms.insert(bcast::name_of(explained.others[i].algorithm));
        segments.insert(text_of(explained.others[i].segment_bytes));
    }
    BenchOptions bench;
    bench.on = clusters_with([](const ClusterKind& kind) { return kind.exact; }).front();
    bench.machines = options.plan.machines;
    bench.root = site.network.machines[at(options.asked.plan.root)].name;
    bench.ranks_per_machine = options.asked.ranks_per_machine;
    bench.sizes = std::to_string(options.asked.bytes);
    bench.algorithms = comma_separated(algorithms);
    bench.segments = comma_separated(segments);
    ClusterChoice cluster;
    cluster.on = bench.on;
    return run_bench(site.network, site.plan, site.table, cluster, {}, bench_request(site.network, bench));
}

void add_simulated(Explanation& explained, const BenchResult& result) {
    constexpr double us_per_s = 1e6;
    explained.simulated_network = result.network;
    const bcast::Choice& chosen = explained.answer.choice;
    for (const BenchRow& row : result.rows) {
        const double time_s = row.completion_us_median / us_per_s;
        if (is_tuned(row.algorithm)) {
            explained.simulated.push_back({chosen, time_s});
        } else if (const auto algorithm = algorithm_called(row.algorithm)) {
            explained.simulated.push_back({{*algorithm, row.segment_bytes}, time_s});
        }
    }
}

int explain_broadcast(ExplainArguments options) {
    try {
        options.asked.bytes = parse_size_bytes(options.size);
    } catch (const ParseError& error) {
        throw InputErrors({{"--size", 0, 0, error.what(), ""}});
    }
    const auto costs_of = options.check ? simulated_costs : message_costs;
    const SiteInput site = load_site(options.topology, options.tuning, costs_of);
    options.asked.plan = plan_request(site.network, options.plan);
    Explanation explained = explain(site.network, site.table, options.asked, costs_of(site.network));
    if (options.check && !explained.needs_no_plan()) add_simulated(explained, simulate(site, options, explained));
    fmt::print("{}", options.format == "json"
                         ? explanation_json(site.network, explained)
                         : explanation_text(site.network, site.table, !options.tuning.empty(), explained));
    return exit_done;
}

}  // namespace

void register_explain(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "explain", "Explain how one broadcast is carried out, and why", explain_examples);
    const auto options = std::make_shared<ExplainArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->add_option("--size", options->size, "Message size: 8192, 300K, 1M")->required()->type_name("SIZE");
    add_taking_part(*command, options->plan);
    constexpr int most_ranks = 65536;
    command->add_option("--ranks-per-machine", options->asked.ranks_per_machine, "Ranks on each machine")
        ->check(CLI::Range(1, most_ranks))
        ->capture_default_str();
    command
        ->add_option("--tuning", options->tuning, "Decision table (tuning.yaml); predicted from the plan if not given")
        ->type_name("FILE");
    command->add_flag(
        "--check", options->check,
        "Simulate the choice and the next best beside their prices, as bench --on simulated does; prices, and the "
        "table without --tuning, are then for the simulated network");
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return explain_broadcast(*options); }; });
}

}  // namespace bcastgen
