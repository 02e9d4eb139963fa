#include "codegen/build/library_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/process.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/diagnostic.hpp"
#include "base/file_cache.hpp"
#include "base/hash.hpp"
#include "base/outside_failure.hpp"
#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"
#include "codegen/build/stage_sources.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;
namespace process = boost::process;

struct Outcome {
    int exit_code;
    std::string output;  ///< stdout and stderr as they came
};

Outcome run(const fs::path& program, const std::vector<std::string>& arguments) {
    process::ipstream output;
    process::child child(program.string(), process::args(arguments),
                         process::std_in<process::null, (process::std_out & process::std_err)> output);
    std::string text(std::istreambuf_iterator<char>(output), {});
    child.wait();
    return {child.exit_code(), std::move(text)};
}

fs::path in_path(const std::string& program) {
    return process::search_path(program).string();
}

fs::path find_cmake() {
    fs::path cmake = in_path("cmake");
    if (cmake.empty()) throw OutsideFailure("cmake is not in PATH; it is needed to build the library");
    return cmake;
}

/// Every macro that the compiler and its mpi.h define.
Outcome macros_of(const fs::path& wrapper) {
    return run(wrapper, {"-include", "mpi.h", "-E", "-dM", "-x", "c++", "/dev/null"});
}

/// Which MPI a compiler wrapper belongs to, by what its mpi.h defines: the emitted library looks at the same macros.
/// Empty if it is neither or does not work; then `trouble` says so.
std::string mpi_of(const fs::path& wrapper, std::string& trouble) {
    const Outcome outcome = macros_of(wrapper);
    if (outcome.exit_code != 0) {
        trouble = fmt::format("; {} does not work:\n{}", wrapper.string(), outcome.output);
        return "";
    }
    if (outcome.output.find("#define OPEN_MPI ") != std::string::npos) return "openmpi";
    if (outcome.output.find("#define MPICH_NAME ") != std::string::npos) return "mpich";
    trouble = fmt::format("; {} is of neither MPICH's family nor Open MPI", wrapper.string());
    return "";
}

/// The compiler of one MPI, if this host has it.
std::optional<MpiCompiler> find_compiler_of(const std::string& mpi, std::string& trouble) {
    for (const std::string& name : {"mpicxx." + mpi, std::string("mpicxx"), std::string("mpic++")}) {
        const fs::path wrapper = in_path(name);
        if (!wrapper.empty() && mpi_of(wrapper, trouble) == mpi) return MpiCompiler{mpi, wrapper};
    }
    return std::nullopt;
}

/// The compilers of both MPIs, as far as this host has them. `trouble`: what is wrong with one that cannot be used.
std::vector<MpiCompiler> find_mpi_compilers(std::string& trouble) {
    std::vector<MpiCompiler> found;
    for (const char* mpi : {"mpich", "openmpi"}) {
        if (std::optional<MpiCompiler> compiler = find_compiler_of(mpi, trouble)) found.push_back(*compiler);
    }
    return found;
}

/// The shared object that an emitted library's own build file names.
std::string library_file(const fs::path& directory) {
    constexpr std::string_view key = "OUTPUT_NAME ";
    std::ifstream file(directory / "CMakeLists.txt", std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t at = text.find(key);
    if (at == std::string::npos) {
        throw InputErrors(
            {{directory.string(), 0, 0, "has no CMakeLists.txt as bcastgen writes it; emit it again", ""}});
    }
    const std::size_t name = at + key.size();
    return "lib" + text.substr(name, text.find('\n', name) - name) + ".so";
}

/// The name under which the library that comes of this is kept: of all that it depends on. Among the macros are the
/// versions of the compiler and of the MPI.
std::string cached_name(const fs::path& directory, const MpiCompiler& compiler, const std::string& library) {
    Hash key;
    key.add(run(compiler.compiler, {"-show"}).output);
    key.add(macros_of(compiler.compiler).output);
    for (const char* variable :
         {"CXX", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",
          "CMAKE_TOOLCHAIN_FILE", "CMAKE_CXX_COMPILER_LAUNCHER", "CMAKE_BUILD_TYPE"}) {
        const char* value = std::getenv(variable);
        key.add(value == nullptr ? "" : value);
    }
    // CMake compiles with this one and takes no more than the MPI's directories from the wrapper.
    const char* cxx = std::getenv("CXX");
    if (const fs::path own = cxx == nullptr ? fs::path() : fs::path(in_path(cxx)); !own.empty()) {
        key.add(run(own, {"--version"}).output);
    }
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator entry(directory); entry != fs::recursive_directory_iterator(); ++entry) {
        if (entry.depth() == 0 && entry->path().filename() == "build") entry.disable_recursion_pending();
        if (entry->is_regular_file()) files.push_back(entry->path());
    }
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files) {
        key.add(file.lexically_relative(directory).string());
        key.add(text_of(file).value_or(""));
    }
    return fmt::format("{}-{:016x}", library, key.value());
}

/// Builds what the sources' CMakeLists.txt says in `scratch`, or takes what came of the same before; the path of the
/// one product there. `begins` is called before it builds.
fs::path compile_in(const fs::path& scratch, const fs::path& sources, const MpiCompiler& compiler,
                    const fs::path& product, const std::function<void()>& begins) {
    const fs::path cmake = find_cmake();
    const fs::path made = scratch / product;
    fs::create_directories(scratch);
    const FileCache cache("libraries");
    const std::string cached = cached_name(sources, compiler, product.filename().string());
    if (cache.take(cached, made)) return made;
    if (begins) begins();
    const auto step = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = run(cmake, arguments);
        if (outcome.exit_code != 0) {
            throw OutsideFailure(
                fmt::format("building {} for {} failed:\n{}", sources.string(), compiler.mpi, outcome.output));
        }
    };
    step({"-S", sources.string(), "-B", scratch.string(), "-DMPI_CXX_COMPILER=" + compiler.compiler.string()});
    step({"--build", scratch.string()});
    if (!fs::exists(made)) {
        throw OutsideFailure(fmt::format("{}: did not come out of the build for {}", product.string(), compiler.mpi));
    }
    cache.keep(made, cached);
    return made;
}

}  // namespace

std::vector<MpiCompiler> choose_compilers(const std::vector<std::string>& mpis) {
    find_cmake();
    std::string trouble;
    std::vector<MpiCompiler> found = find_mpi_compilers(trouble);
    if (mpis.empty() && found.empty()) {
        throw OutsideFailure(
            "no MPI compiler (mpicxx) is in PATH: install MPICH or Open MPI with its development files" + trouble);
    }
    if (mpis.empty()) return found;
    std::vector<MpiCompiler> chosen;
    for (const std::string& mpi : mpis) {
        const auto is_wanted = [&](const MpiCompiler& one) { return one.mpi == mpi; };
        if (std::any_of(chosen.begin(), chosen.end(), is_wanted)) continue;
        const auto at = std::find_if(found.begin(), found.end(), is_wanted);
        if (at == found.end()) {
            throw OutsideFailure(fmt::format(
                "no compiler of {0} is in PATH: neither mpicxx.{0} nor an mpicxx that is its{1}", mpi, trouble));
        }
        chosen.push_back(*at);
    }
    return chosen;
}

std::optional<MpiCompiler> any_compiler() {
    std::string trouble;
    const std::optional<MpiCompiler> mpich = find_compiler_of("mpich", trouble);
    return mpich ? mpich : find_compiler_of("openmpi", trouble);
}

std::vector<std::string> include_directories_of(const MpiCompiler& compiler) {
    const Outcome outcome = run(compiler.compiler, {"-show"});
    if (outcome.exit_code != 0) {
        throw OutsideFailure(fmt::format("{} -show failed:\n{}", compiler.compiler.string(), outcome.output));
    }
    std::vector<std::string> directories;
    std::istringstream words(outcome.output);
    for (std::string word; words >> word;) {
        if (word.starts_with("-I")) directories.push_back(word.substr(2));
        if (word == "-isystem" && words >> word) directories.push_back(word);
    }
    return directories;
}

bool can_be_preloaded(const fs::path& directory) {
    return directory.native().find_first_of(" \t\n\v\f\r:") == std::string::npos;
}

fs::path compile_library(const fs::path& directory, const MpiCompiler& compiler, const std::function<void()>& begins) {
    const fs::path library = directory / "build" / compiler.mpi / library_file(directory);
    // Compiled elsewhere and from scratch: what lies in the library's directory may be anybody's, and CMake would take
    // settings, and make compiled code, from there.
    const TemporaryDirectory scratch(place_for_temporary_files());
    put_copy(compile_in(scratch.path(), directory, compiler, library.filename(), begins), library);
    return library;
}

void compile_stage(const fs::path& place, const MpiCompiler& compiler, const std::function<void()>& begins) {
    const TemporaryDirectory sources(place_for_temporary_files());
    for (const EmbeddedFile& file : stage_sources()) write_file(sources.path() / file.name, file.text);
    put_copy(compile_in(sources.path() / "build", sources.path(), compiler, "bcastgen-stage", begins), place);
}

void put_copy(const fs::path& from, const fs::path& to) {
    const fs::path fresh = to.string() + ".new";
    try {
        fs::create_directories(to.parent_path());
        fs::remove(fresh);  // what lies there may be a link to somewhere else
        fs::copy_file(from, fresh);
        fs::rename(fresh, to);
    } catch (const fs::filesystem_error& error) {
        std::error_code ignored;
        fs::remove(fresh, ignored);
        throw OutsideFailure(fmt::format("{}: cannot be written: {}", to.string(), error.code().message()));
    }
}

}  // namespace bcastgen
