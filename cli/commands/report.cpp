#include "tuner/report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/temporary_directory.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/output_file.hpp"
#include "cli/terminal.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tuner/lateness/late_segments.hpp"
#include "tuner/measure/traced_hops.hpp"

namespace bcastgen {

namespace {

constexpr const char* report_examples = R"(Examples:
  bcastgen report tuning.db                                    the newest tuning in the store: report.html
  bcastgen report tuning.db --run 2 -o rack3.html              another one of the same store
  bcastgen report tuning.db --trace /tmp/trace -o report.html  and what a program broadcast under BCASTGEN_TRACE=/tmp/trace
  bcastgen report --trace /tmp/trace -o program.html           that alone
  bcastgen report --trace /tmp/trace --without /tmp/native     and how long it took without the library
  bcastgen report --trace /tmp/trace --topology rack3.yaml     and which link is slow, and what tuning would bring

The page is one file that needs nothing else: mail it, print it, put it on a web server. It may be written while a tuning
runs, and shows what there is so far. gnuplot draws the charts (apt-get install gnuplot-nox).)";

struct ReportArguments {
    std::string store;
    std::string trace;
    std::string without;
    std::string topology;
    std::string output = "report.html";
    std::optional<std::int64_t> run;
};

/// On the network that the trace is from, or else the one that was tuned.
std::string slow_link(const ReportRequest& request) {
    if (!request.trace || (!request.traced_on && !request.run)) return "";
    const Network network =
        request.traced_on ? *request.traced_on : read_topology(request.run->run.topology_yaml, request.store);
    return late_segments_text(network, late_segments(network, traced_hops(*request.trace, network)));
}

int report_command(const ReportArguments& options) {
    if (options.store.empty() && options.trace.empty())
        throw InputErrors(
            {{"bcastgen report", 0, 0, "wants a store (bcastgen tune --db writes one), --trace, or both", ""}});
    if (options.store.empty() && options.run) throw InputErrors({{"--run", 0, 0, "goes with a store", ""}});
    ReportRequest request;
    request.version = BCASTGEN_VERSION;
    if (!options.store.empty()) {
        TuningStore store(options.store, StoreAccess::read);
        request.store = options.store;
        request.run = read_run(store, options.store, options.run);
        for (const StoredRun& run : store.runs()) {
            if (run.id != request.run->run.id) request.others.push_back(run);
        }
    }
    if (!options.trace.empty()) request.trace = read_trace(options.trace);
    if (!options.without.empty()) request.without_library = read_trace(options.without);
    if (!options.topology.empty()) request.traced_on = load_topology(options.topology);
    request.slow_link = slow_link(request);
    if (!request.slow_link.empty()) say(request.slow_link);
    const TemporaryDirectory work(place_for_temporary_files());
    write_output_file(options.output, report_page(request, work.path()));
    if (!is_standard_stream(options.output)) fmt::print("{}\n", options.output);
    return exit_done;
}

}  // namespace

void register_report(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(application, "report",
                                    "Show a tuning, or what a program broadcast, as one HTML page", report_examples);
    const auto options = std::make_shared<ReportArguments>();
    command->add_option("store", options->store, "What bcastgen tune --db wrote")->type_name("FILE");
    command->add_option("--run", options->run, "Number of a tuning in the store [the newest]");
    command->add_option("--trace", options->trace, "Value that BCASTGEN_TRACE had: reads FILE.0, FILE.1, …")
        ->type_name("FILE");
    command
        ->add_option(
            "--without", options->without,
            "The same of a run with BCASTGEN_DISABLE=1, which the MPI's own broadcast carries: shown beside it")
        ->needs("--trace")
        ->type_name("FILE");
    command
        ->add_option("--topology", options->topology,
                     "Topology file of the cluster that the traces are from: says which link is slow, and what tuning "
                     "would bring")
        ->needs("--trace")
        ->type_name("FILE");
    command->add_option("-o,--output", options->output, "Page to write; - is stdout")
        ->type_name("FILE")
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return report_command(*options); }; });
}

}  // namespace bcastgen
