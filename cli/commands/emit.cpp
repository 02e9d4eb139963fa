#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/output_file.hpp"
#include "cli/options/site_input.hpp"
#include "cli/terminal.hpp"
#include "codegen/audit/audit.hpp"
#include "codegen/build/library_build.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"
#include "codegen/emit/site_summary.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/plan/site_proof.hpp"
#include "planner/print/proof_scope.hpp"

namespace bcastgen {

namespace {

struct EmitArguments {
    std::string topology;
    std::string tuning;
    std::string directory;
};

/// What fails the audit is a defect of bcastgen, and is not written.
void audit_before_writing(const SiteInput& input, const std::vector<EmittedFile>& files, const std::string& directory) {
    const std::optional<MpiCompiler> compiler = any_compiler();
    if (!compiler) {
        say("not audited: this host has no MPI whose header the library could be read with");
        return;
    }
    const Audit audit = audit_library({files, {}}, directory, input.network, input.plan, &input.table,
                                      include_directories_of(*compiler));
    if (!audit.findings.empty()) {
        throw std::logic_error("the library fails its audit and is not written:\n" +
                               std::string(InputErrors(audit.findings).what()));
    }
}

int emit(const EmitArguments& options) {
    if (is_standard_stream(options.directory)) {
        throw InputErrors({{"-o", 0, 0, "a library is a directory of files; it cannot go to stdout: name one", ""}});
    }
    const SiteInput input = load_site(options.topology, options.tuning);
    const SiteProof proof = prove_site(input.network, input.plan);
    const std::filesystem::path directory = options.directory.empty()
                                                ? std::filesystem::path("generated") / input.network.name
                                                : std::filesystem::path(options.directory);
    const std::vector<EmittedFile> files = emit_library(input.network, input.plan, input.table, input.command);
    audit_before_writing(input, files, directory.string());
    const int changed = write_library(directory, files);
    fmt::print("{}", site_summary(input.network, input.plan, proof, input.table));
    fmt::print("  {:<14}  {}: {} files, {} changed\n", "library", directory.string(), files.size(), changed);
    if (const std::string advice = routes_advice(input.network); !advice.empty()) say(advice);
    say(fmt::format("next: bcastgen build {}", directory.string()));
    return exit_done;
}

}  // namespace

void register_emit(CLI::App& application, Invocation& invocation) {
    const auto options = std::make_shared<EmitArguments>();
    application
        .add_option("topology", options->topology,
                    "Topology file (docs/formats.md): plan it, prove it and emit its library")
        ->type_name("FILE");
    application
        .add_option("-o,--output", options->directory,
                    "Directory of the emitted library; generated/<name> if not given")
        ->type_name("DIR");
    application
        .add_option("--tuning", options->tuning, "Decision table (tuning.yaml); predicted from the plan if not given")
        ->type_name("FILE");
    application.callback([&application, options, &invocation] {
        if (!application.get_subcommands().empty()) return;
        if (options->topology.empty()) throw CLI::RequiredError("A topology file or a command");
        invocation.run = [options] { return emit(*options); };
    });
}

}  // namespace bcastgen
