#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/site_input.hpp"
#include "planner/decision/explanation.hpp"
#include "planner/plan/plan_options.hpp"
#include "planner/print/explanation_text.hpp"

namespace bcastgen {

namespace {

constexpr const char* explain_examples = R"(Examples:
  bcastgen explain topologies/fsu-5.yaml --size 300K
  bcastgen explain my-cluster.yaml --tuning tuning.yaml --root n7 --size 1M --machines n[0-15] --ranks-per-machine 64)";

struct ExplainArguments {
    std::string topology;
    std::string tuning;
    std::string size;
    PlanOptions plan;  ///< root and machines
    AskedBroadcast asked;
};

int explain_broadcast(ExplainArguments options) {
    try {
        options.asked.bytes = parse_size_bytes(options.size);
    } catch (const ParseError& error) {
        throw InputErrors({{"--size", 0, 0, error.what(), ""}});
    }
    const SiteInput site = load_site(options.topology, options.tuning);
    options.asked.plan = plan_request(site.network, options.plan);
    const Explanation explained = explain(site.network, site.table, options.asked);
    fmt::print("{}", explanation_text(site.network, site.table, !options.tuning.empty(), explained));
    return exit_done;
}

}  // namespace

void register_explain(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "explain", "Explain how one broadcast is carried out, and why", explain_examples);
    const auto options = std::make_shared<ExplainArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")->required();
    command->add_option("--size", options->size, "Message size: 8192, 300K, 1M")->required()->type_name("SIZE");
    command->add_option("--root", options->plan.root, "Machine that the broadcast starts from [the first]");
    command->add_option("--machines", options->plan.machines, "Hostlist of the machines that take part [all]");
    constexpr int most_ranks = 65536;
    command->add_option("--ranks-per-machine", options->asked.ranks_per_machine, "Ranks on each machine")
        ->check(CLI::Range(1, most_ranks))
        ->capture_default_str();
    command
        ->add_option("--tuning", options->tuning, "Decision table (tuning.yaml); predicted from the plan if not given")
        ->type_name("FILE");
    command->callback([options, &invocation] { invocation.run = [options] { return explain_broadcast(*options); }; });
}

}  // namespace bcastgen
