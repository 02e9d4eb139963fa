#include "codegen/audit/audit.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/wording.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/library_build.hpp"
#include "planner/decision/tuning_yaml.hpp"

namespace bcastgen {

namespace {

constexpr const char* audit_examples = R"(Examples:
  bcastgen audit generated/my-cluster my-cluster.yaml
  bcastgen audit generated/my-cluster my-cluster.yaml --tuning tuning.yaml     the decision table must be this one, too

Exit code 3, and the place, for anything that the library says or does but the topology does not ask for. Comments and
layout are free.)";

struct AuditArguments {
    std::string directory;
    std::string topology;
    std::string tuning;
    std::vector<std::string> mpis;
};

int audit(const AuditArguments& options) {
    const Network network = load_topology(options.topology);
    const SitePlan site = make_site_plan(network);
    std::optional<DecisionTable> table;
    if (!options.tuning.empty()) table = read_tuning(read_input_file(options.tuning), options.tuning, network, site);
    const FoundLibrary library = read_found_library(options.directory, network.name);
    for (const MpiCompiler& compiler : choose_compilers(options.mpis)) {
        const Audit result = audit_library(library, options.directory, network, site, table ? &*table : nullptr,
                                           include_directories_of(compiler));
        if (!result.findings.empty()) {
            print_diagnostics(InputErrors(result.findings).what());
            return exit_found_wrong;
        }
        fmt::print("{} ({}): {} proved for {}; decision table and code are as emitted\n", options.directory,
                   compiler.mpi, counted(result.trees, "tree", "trees"),
                   counted(network.machines.size(), "machine", "machines"));
    }
    return exit_done;
}

}  // namespace

void register_audit(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(
        application, "audit", "Read an emitted library's C++ back and prove it against its topology", audit_examples);
    const auto options = std::make_shared<AuditArguments>();
    command->add_option("directory", options->directory, "Directory of the emitted library")->required();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")->required();
    command->add_option("--tuning", options->tuning, "Decision table that it was emitted with")->type_name("FILE");
    add_mpi_option(*command, options->mpis);
    command->callback([options, &invocation] { invocation.run = [options] { return audit(*options); }; });
}

}  // namespace bcastgen
