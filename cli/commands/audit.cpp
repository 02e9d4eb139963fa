#include "codegen/audit/audit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/printable.hpp"
#include "base/wording.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/result_format.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/library_build.hpp"
#include "planner/decision/tuning_yaml.hpp"

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* audit_examples = R"(Examples:
  bcastgen audit generated/my-cluster my-cluster.yaml
  bcastgen audit generated/my-cluster my-cluster.yaml --tuning tuning.yaml     the decision table must be this one, too

Exit code 3, and the place, for anything that the library says or does but the topology does not ask for, and for files
beside it that a build would come across. Comments and layout of the generated files are free; docs/audit.md has the
bounds.)";

struct AuditArguments {
    std::string directory;
    std::string topology;
    std::string tuning;
    std::vector<std::string> mpis;
    std::string format = "text";
};

/// Variables that lead compilers, CMake, MPI's wrappers or the loader to other files or programs than they would take
/// by themselves.
constexpr std::array redirections = {"CPATH",
                                     "CPLUS_INCLUDE_PATH",
                                     "C_INCLUDE_PATH",
                                     "LIBRARY_PATH",
                                     "COMPILER_PATH",
                                     "GCC_EXEC_PREFIX",
                                     "CXX",
                                     "CXXFLAGS",
                                     "LDFLAGS",
                                     "MAKEFLAGS",
                                     "CMAKE_GENERATOR",
                                     "CMAKE_TOOLCHAIN_FILE",
                                     "CMAKE_PREFIX_PATH",
                                     "CMAKE_CXX_COMPILER_LAUNCHER",
                                     "CMAKE_CXX_LINKER_LAUNCHER",
                                     "MPI_HOME",
                                     "MPI_ROOT",
                                     "MPICH_CXX",
                                     "OMPI_CXX",
                                     "OMPI_CPPFLAGS",
                                     "OMPI_CXXFLAGS",
                                     "OMPI_LDFLAGS",
                                     "OPAL_PREFIX",
                                     "LD_PRELOAD",
                                     "LD_LIBRARY_PATH",
                                     "LD_AUDIT"};

/// Whoever builds with such variables builds more than was audited; whether they do, nobody knows here.
void mention_redirections() {
    std::vector<std::string_view> set;
    for (const char* name : redirections) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') set.emplace_back(name);
    }
    if (set.empty()) return;
    say(fmt::format("note: set here, and able to change what a build reads or runs: {} (docs/audit.md)",
                    fmt::join(set, ", ")));
}

Json finding_json(const Diagnostic& finding) {
    return {{"file", printable(finding.file)},
            {"line", finding.line},
            {"column", finding.column},
            {"message", printable(finding.message)}};
}

/// `proved` has a row for each MPI whose headers the library was read with, without findings.
void print_audit(const AuditArguments& options, const Network& network, const Json& proved,
                 const std::vector<Diagnostic>& findings) {
    Json list = Json::array();
    for (const Diagnostic& finding : findings) list.push_back(finding_json(finding));
    print_json({{"format", "bcastgen-audit/1"},
                {"topology", network.name},
                {"directory", printable(options.directory)},
                {"proved", proved},
                {"findings", list}});
}

int audit(const AuditArguments& options) {
    const Network network = load_topology(options.topology);
    const SitePlan site = make_site_plan(network);
    std::optional<DecisionTable> table;
    if (!options.tuning.empty()) table = read_tuning(read_input_file(options.tuning), options.tuning, network, site);
    const FoundLibrary library = read_found_library(options.directory, network.name);
    const bool text = options.format == "text";
    Json proved = Json::array();
    for (const MpiCompiler& compiler : choose_compilers(options.mpis)) {
        const Audit result = audit_library(library, options.directory, network, site, table ? &*table : nullptr,
                                           include_directories_of(compiler));
        if (!result.findings.empty()) {
            if (text) print_diagnostics(InputErrors(result.findings).what());
            if (!text) print_audit(options, network, proved, result.findings);
            return exit_found_wrong;
        }
        proved.push_back({{"mpi", compiler.mpi}, {"trees", result.trees}, {"machines", network.machines.size()}});
        if (!text) continue;
        fmt::print("{} ({}): {} proved for {}; decision table and code are as emitted\n", options.directory,
                   compiler.mpi, counted(result.trees, "tree", "trees"),
                   counted(network.machines.size(), "machine", "machines"));
    }
    if (!text) print_audit(options, network, proved, {});
    mention_redirections();
    return exit_done;
}

}  // namespace

void register_audit(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(
        application, "audit", "Read an emitted library's C++ back and prove it against its topology", audit_examples);
    const auto options = std::make_shared<AuditArguments>();
    command->add_option("directory", options->directory, "Directory of the emitted library")
        ->required()
        ->type_name("DIR");
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->add_option("--tuning", options->tuning, "Decision table that it was emitted with")->type_name("FILE");
    add_mpi_option(*command, options->mpis);
    add_result_format(*command, options->format);
    command->callback([options, &invocation] { invocation.run = [options] { return audit(*options); }; });
}

}  // namespace bcastgen
