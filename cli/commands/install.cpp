#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"
#include "base/printable.hpp"
#include "base/text_file.hpp"
#include "cli/commands/commands.hpp"
#include "cli/manual/manual.hpp"
#include "cli/options/result_format.hpp"
#include "cli/options/site_input.hpp"
#include "cli/terminal.hpp"
#include "codegen/build/installation.hpp"
#include "codegen/build/library_build.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr const char* install_examples = R"(Examples:
  bcastgen install my-cluster.yaml --prefix /opt/bcast
  bcastgen install my-cluster.yaml --tuning tuning.yaml --prefix /opt/bcast --mpi openmpi

Layout below the prefix: lib/<mpi>/libbcast_<name>.so and bcastgen-stage, which copies files to all machines of a job
(docs/staging.md), share/bcast_<name>/ (the sources), and modulefiles/bcast/:

  module use /opt/bcast/modulefiles
  module load bcast/my-cluster              for the MPI whose module is loaded
  module load bcast/my-cluster-openmpi      for this MPI)";

struct InstallArguments {
    std::string topology;
    std::string tuning;
    std::string prefix;
    std::vector<std::string> mpis;
    std::string format = "text";
};

/// Returns the paths of what it wrote.
std::vector<std::string> install_modulefiles(const fs::path& prefix, const fs::path& sources, const std::string& name,
                                             const std::vector<MpiCompiler>& compilers) {
    const std::optional<std::string> modulefile = text_of(sources / "modulefile");
    if (!modulefile) throw OutsideFailure(fmt::format("{}: cannot be read", (sources / "modulefile").string()));
    std::vector<std::string> mpis;
    for (const MpiCompiler& compiler : compilers) mpis.push_back(compiler.mpi);
    std::vector<std::string> written;
    const fs::path place = fs::absolute(prefix).lexically_normal();
    for (const EmittedFile& file : site_modulefiles(*modulefile, name, place, mpis)) {
        std::error_code failed;  // then writing says why
        fs::create_directories((prefix / file.path).parent_path(), failed);
        write_file(prefix / file.path, file.text);
        written.push_back((prefix / file.path).string());
    }
    return written;
}

/// Where man looks for the pages of what is in a directory of PATH (manpath(1)).
void install_stage_manual(const fs::path& programs) {
    const fs::path page = programs / "man/man1/bcastgen-stage.1";
    std::error_code failed;  // then writing says why
    fs::create_directories(page.parent_path(), failed);
    write_file(page, stage_manual(BCASTGEN_VERSION, ""));
}

void print_installed(const InstallArguments& options, const SiteInput& site, const nlohmann::ordered_json& libraries,
                     const std::vector<std::string>& modulefiles) {
    if (options.format == "text") {
        for (const auto& library : libraries) fmt::print("{}\n", library["library"].get<std::string>());
        for (const std::string& file : modulefiles) fmt::print("{}\n", file);
        return;
    }
    auto modules = nlohmann::ordered_json::array();
    for (const std::string& file : modulefiles) modules.push_back(printable(file));
    print_json({{"format", "bcastgen-install/1"},
                {"topology", site.network.name},
                {"prefix", printable(options.prefix)},
                {"libraries", libraries},
                {"modulefiles", modules}});
}

int install(const InstallArguments& options) {
    const fs::path prefix = options.prefix;
    if (!can_be_preloaded(fs::absolute(prefix))) {
        throw InputErrors({{"--prefix", 0, 0,
                            fmt::format("{} has a space or a colon, which ends a path in LD_PRELOAD; name another "
                                        "directory",
                                        fs::absolute(prefix).string()),
                            ""}});
    }
    const SiteInput site = load_site(options.topology, options.tuning);
    const fs::path sources = prefix / "share" / ("bcast_" + site.network.name);
    const std::vector<MpiCompiler> compilers = choose_compilers(options.mpis);
    write_library(sources, emit_library(site.network, site.plan, site.table, site.command));
    auto libraries = nlohmann::ordered_json::array();
    for (const MpiCompiler& compiler : compilers) {
        const fs::path library = compile_and_tell(sources, compiler);
        const fs::path place = prefix / "lib" / compiler.mpi / library.filename();
        put_copy(library, place);
        compile_stage_and_tell(place.parent_path() / "bcastgen-stage", compiler);
        install_stage_manual(place.parent_path());
        libraries.push_back(built_json(compiler.mpi, place.string()));
    }
    fs::remove_all(sources / "build");
    print_installed(options, site, libraries, install_modulefiles(prefix, sources, site.network.name, compilers));
    return exit_done;
}

}  // namespace

void register_install(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "install", "Emit, compile and lay out a site's library", install_examples);
    const auto options = std::make_shared<InstallArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->add_option("--prefix", options->prefix, "Directory to install into")->required()->type_name("DIR");
    command->add_option("--tuning", options->tuning, "Decision table (tuning.yaml)")->type_name("FILE");
    add_mpi_option(*command, options->mpis);
    add_result_format(*command, options->format);
    command->callback([options, &invocation] { invocation.run = [options] { return install(*options); }; });
}

}  // namespace bcastgen
