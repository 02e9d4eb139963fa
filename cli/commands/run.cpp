#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/output_file.hpp"
#include "cli/options/site_input.hpp"
#include "cli/progress.hpp"
#include "cli/run/launch.hpp"
#include "cli/run/outcome.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/library_build.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr const char* run_examples = R"(Examples:
  bcastgen run my-cluster.yaml -- mpiexec -n 64 ./program input
  bcastgen run my-cluster.yaml --tuning tuning.yaml --compare -- mpiexec -n 64 ./program
  bcastgen run my-cluster.yaml --trace trace -- srun ./program      keeps trace.0, trace.1, … for bcastgen report
  sudo bcastgen lab topologies/fsu-4.yaml -- bcastgen run topologies/fsu-4.yaml -- mpiexec.mpich -n 32 ./program

The program's output stays as it is; at the end one paragraph on stderr says what its broadcasts took. The library is
compiled once and kept in the user's cache directory. It and the traces lie in the current directory meanwhile, which all
machines must see. On a host that is no machine of the file, and where nothing says on which hosts the ranks are to run,
they play the file's first machines. Exit code: the program's.)";

struct RunArguments {
    std::string topology;
    std::string tuning;
    std::string mpi;
    std::string trace;
    bool compare = false;
    std::string output;
    std::vector<std::string> command;
};

/// The compiled library of a site, as a file in `directory`.
fs::path library_in(const fs::path& directory, const SiteInput& site, const std::string& mpi) {
    const Waiting waiting(fmt::format("preparing the library of {} for {}", site.network.name, mpi),
                          Waiting::Elsewhere::one_line);
    const TemporaryDirectory work(place_for_temporary_files());
    const fs::path sources = work.path() / "library";
    write_library(sources, emit_library(site.network, site.plan, site.table, site.command));
    const fs::path made = compile_library(sources, choose_compilers({mpi}).front());
    fs::path library = directory / made.filename();
    put_copy(made, library);
    return library;
}

/// Runs it in the foreground; the seconds that it takes.
double timed(const std::vector<std::string>& words, int& exit_code) {
    const auto start = std::chrono::steady_clock::now();
    Command command;
    command.words = words;
    exit_code = run_in_foreground(command);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What the ranks are to have in their environment.
std::map<std::string, std::string> environment_with(const fs::path& library, const fs::path& trace,
                                                    const std::string& machines) {
    const char* preloaded = std::getenv("LD_PRELOAD");
    std::map<std::string, std::string> environment = {{"LD_PRELOAD", library.string()},
                                                      {"BCASTGEN_TRACE", trace.string()}};
    if (preloaded != nullptr && *preloaded != '\0') environment["LD_PRELOAD"] += fmt::format(":{}", preloaded);
    if (!machines.empty()) environment["BCASTGEN_MACHINES"] = machines;
    return environment;
}

std::optional<Trace> trace_of(const fs::path& file) {
    try {
        return read_trace(file.string());
    } catch (const InputErrors&) {  // there is none
        return std::nullopt;
    }
}

/// Where traces are to lie: not among those of another run, which may have had more ranks.
fs::path place_of_traces(const std::string& chosen, const fs::path& otherwise) {
    if (chosen.empty()) return otherwise / "trace";
    if (trace_of(chosen)) {
        throw InputErrors({{"--trace", 0, 0, in_quotes(chosen) + " has traces already; name another file", ""}});
    }
    return fs::absolute(chosen);
}

int run(const RunArguments& options) {
    if (find_program(options.command.front()).empty()) {
        throw InputErrors({{"run", 0, 0, in_quotes(options.command.front()) + " is no program in PATH", ""}});
    }
    const SiteInput site = load_site(options.topology, options.tuning);
    const std::string mpi = options.mpi.empty() ? mpi_of_command(options.command) : options.mpi;
    const TemporaryDirectory shared(fs::current_path());
    if (!can_be_preloaded(shared.path())) {
        throw InputErrors({{"run", 0, 0,
                            "the library cannot be preloaded from the current directory: a space or colon in its path "
                            "ends a name in LD_PRELOAD",
                            ""}});
    }
    const fs::path trace = place_of_traces(options.trace, shared.path());
    const fs::path library = library_in(shared.path(), site, mpi);
    const std::string machines = played_machines(site.network, options.command);
    if (!machines.empty()) {
        say(fmt::format("this host is no machine of {}: ranks play {} (BCASTGEN_MACHINES)", site.network.name,
                        machines.size() > 60 ? "its first machines" : machines));
    }
    RunOutcome outcome;
    outcome.topology = site.network.name;
    outcome.is_played = !machines.empty() || std::getenv("BCASTGEN_MACHINES") != nullptr;
    outcome.seconds = timed(under(environment_with(library, trace, machines), mpi, options.command), outcome.exit_code);
    outcome.trace = trace_of(trace);
    if (options.compare) {
        say("once more, without the library");
        int exit_code = 0;
        outcome.seconds_without = timed(options.command, exit_code);
        if (exit_code != outcome.exit_code) {
            say(fmt::format("without the library its exit code is {}, with it {}", exit_code, outcome.exit_code));
        }
    }
    if (!options.output.empty()) write_output_file(options.output, run_json(outcome).dump(2) + "\n");
    say(run_paragraph(outcome));
    return outcome.exit_code;
}

}  // namespace

void register_run(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(
        application, "run", "Run an MPI program with the library and say what its broadcasts took", run_examples);
    const auto options = std::make_shared<RunArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->add_option("command", options->command, "The launcher, its options and the program, after --")->required();
    command->add_option("--tuning", options->tuning, "Decision table (tuning.yaml); predicted if not given")
        ->type_name("FILE");
    command
        ->add_option("--mpi", options->mpi,
                     "MPI that the program runs with: mpich, openmpi; by the launcher if not given")
        ->check(CLI::IsMember({"mpich", "openmpi"}))
        ->type_name("MPI");
    command->add_option("--trace", options->trace, "Keep the traces, as FILE.<rank>")->type_name("FILE");
    command->add_flag("--compare", options->compare, "Run it a second time, without the library");
    command->add_option("-o,--output", options->output, "Write the figures to this file, too, as JSON")
        ->type_name("FILE");
    command->callback([options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

}  // namespace bcastgen
