#include <fmt/format.h>

#include <cstdlib>

#include "tests/codegen/audit/attack.hpp"

namespace bcastgen::testing {

namespace fs = std::filesystem;

namespace {

constexpr const char* mark = "foreign code runs";

/// Set: libraries are built and loaded, not only read by the compiler. Takes minutes.
bool build_them() {
    return std::getenv("BCASTGEN_ATTACKS_BUILT") != nullptr;
}

Outcome run_in(const SampleDirectory& library, std::vector<std::string> words) {
    Surroundings here;
    here.directory = library.path();
    return run_program(std::move(words), here);
}

/// What GCC makes of mpi_bcast.cpp, called as the library's CMakeLists.txt does.
Outcome preprocessed(const SampleDirectory& library, const std::vector<std::string>& options) {
    std::vector<std::string> words = {
        "g++", "-std=c++17", "-E", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", "-I" + library.path().string()};
    words.insert(words.end(), options.begin(), options.end());
    for (const std::string& directory : mpi_headers()) words.insert(words.end(), {"-isystem", directory});
    words.emplace_back("mpi_bcast.cpp");
    return run_in(library, std::move(words));
}

/// Builds the library with its own CMakeLists.txt, and loads it.
std::string built_and_loaded(const SampleDirectory& library, const std::vector<std::string>& options) {
    const ScratchDirectory build;
    std::string flags = "-O0";
    for (const std::string& option : options) flags += " " + option;
    const Outcome configured = run_in(
        library, {"cmake", "-S", ".", "-B", build.path(), "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=" + flags});
    const Outcome made = run_in(library, {"cmake", "--build", build.path()});
    if (configured.exit_code != 0 || made.exit_code != 0)
        return "cannot be built: " + configured.err + made.out + made.err;
    Surroundings loading;
    loading.environment = {{"LD_PRELOAD", (build.path() / "libbcast_small.so").string()}};
    return run_program({"/bin/true"}, loading).out;
}

std::string expect_mark(const std::string& said) {
    return said.find(mark) == std::string::npos ? "no foreign code ran: " + said : "";
}

/// What Environment Modules make of the library's directory, as one of MODULEPATH's, once the library is built.
Outcome module_loaded(const SampleDirectory& library) {
    library.write("build/mpich/libbcast_small.so", "");
    Surroundings surroundings;
    surroundings.directory = library.path();
    surroundings.environment = {{"MODULEPATH", library.path().parent_path().string()}};
    Outcome outcome = run_program({"/usr/lib/modulecmd.tcl", "sh", "load", "lib/modulefile"}, surroundings);
    fs::remove_all(library.path("build"));
    return outcome;
}

/// What Tcl makes of the modulefile, with module systems' commands that tell what they are given.
Outcome sourced(const SampleDirectory& library) {
    library.write("build/mpich/libbcast_small.so", "");
    library.write("harness.log",
                  "set ModulesCurrentModulefile [file join [pwd] modulefile]\n"
                  "foreach command {module-whatis conflict family prepend-path} {\n"
                  "    proc $command args \"puts \\\"$command \\$args\\\"\"\n}\n"
                  "proc is-loaded name {return 0}\n"
                  "proc module-info {what mode} {return [expr {$mode eq \"load\"}]}\n"
                  "catch {source modulefile}\n");
    Outcome outcome = run_in(library, {"tclsh", "harness.log"});
    fs::remove(library.path("harness.log"));
    fs::remove_all(library.path("build"));
    return outcome;
}

Proof runs_foreign_code(Outcome (*read)(const SampleDirectory&)) {
    return [read](const SampleDirectory& library) {
        const Outcome outcome = read(library);
        return expect_mark(outcome.out + outcome.err);
    };
}

Proof loses(Outcome (*read)(const SampleDirectory&), std::string line) {
    return [read, line = std::move(line)](const SampleDirectory& library) -> std::string {
        if (read(SampleDirectory(small_sample())).out.find(line) == std::string::npos) {
            return line + " is not there without the attack, either";
        }
        return read(library).out.find(line) == std::string::npos ? "" : "still there: " + line;
    };
}

}  // namespace

Proof compiler_takes(std::string text, std::vector<std::string> options) {
    return [text = std::move(text), options = std::move(options)](const SampleDirectory& library) -> std::string {
        const Outcome seen = preprocessed(library, options);
        return seen.out.find(text) == std::string::npos ? "the compiler met no " + text + ": " + seen.err : "";
    };
}

Proof compiles_foreign_code(std::vector<std::string> options) {
    return [options = std::move(options)](const SampleDirectory& library) {
        return build_them() ? expect_mark(built_and_loaded(library, options))
                            : compiler_takes("foreign_code()", options)(library);
    };
}

Proof loses_code(std::string code, std::vector<std::string> options) {
    return [code = std::move(code), options = std::move(options)](const SampleDirectory& library) -> std::string {
        const Outcome genuine = preprocessed(SampleDirectory(small_sample()), options);
        if (genuine.out.find(code) == std::string::npos) return code + " is not there without the attack, either";
        const Outcome seen = preprocessed(library, options);
        return seen.exit_code != 0 || seen.out.find(code) != std::string::npos ? "the compiler sees " + code + seen.err
                                                                               : "";
    };
}

Proof cmake_runs_foreign_code(std::vector<std::string> arguments) {
    return [arguments = std::move(arguments)](const SampleDirectory& library) {
        const ScratchDirectory build;
        // As if it had looked at the compiler and at MPI before, which takes it a second.
        std::vector<std::string> words = {"cmake", "-DCMAKE_CXX_COMPILER_FORCED=1", "-DMPI_CXX_WORKS=1"};
        if (arguments.empty()) words.insert(words.end(), {"-S", ".", "-B", build.path()});
        words.insert(words.end(), arguments.begin(), arguments.end());
        const Outcome outcome = run_in(library, words);
        return expect_mark(outcome.out + outcome.err);
    };
}

Proof make_runs_foreign_code() {
    return [](const SampleDirectory& library) { return expect_mark(run_in(library, {"make"}).out); };
}

Proof module_runs_foreign_code() {
    return runs_foreign_code(module_loaded);
}

Proof module_loses(std::string line) {
    return loses(module_loaded, std::move(line));
}

Proof tcl_runs_foreign_code() {
    return runs_foreign_code(sourced);
}

Proof tcl_loses(std::string line) {
    return loses(sourced, std::move(line));
}

std::vector<std::string> openmpi() {
    std::vector<std::string> options;
    for (const std::string& directory : directories_of(BCASTGEN_OPENMPI_HEADERS)) {
        options.insert(options.end(), {"-isystem", directory});
    }
    return options;
}

Proof not_shown(const char* /*why*/) {
    return [](const SampleDirectory&) { return std::string(); };
}

}  // namespace bcastgen::testing
