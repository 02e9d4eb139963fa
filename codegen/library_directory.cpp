#include "library_directory.hpp"

#include <fmt/format.h>

#include <boost/process.hpp>
#include <fstream>
#include <iterator>
#include <optional>

#include "outside_failure.hpp"

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

/// Which MPI a compiler wrapper belongs to, by the command it would run.
std::string mpi_of(const fs::path& wrapper) {
    const std::string command = run(wrapper, {"-show"}).output;
    if (command.find("openmpi") != std::string::npos || command.find("open-mpi") != std::string::npos) return "openmpi";
    if (command.find("mpich") != std::string::npos || command.find("-lmpi") != std::string::npos) return "mpich";
    return "";
}

std::optional<std::string> text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

void replace_file(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    const fs::path fresh = file.string() + ".new";
    std::ofstream out(fresh, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw OutsideFailure(fmt::format("{}: cannot be written", fresh.string()));
    fs::rename(fresh, file);
}

bool may_write_into(const fs::path& directory) {
    return !fs::exists(directory) ||
           (fs::is_directory(directory) && (fs::is_empty(directory) || fs::exists(directory / "site_plan.hpp")));
}

}  // namespace

int write_library(const fs::path& directory, const std::vector<EmittedFile>& files) {
    if (!may_write_into(directory)) {
        throw OutsideFailure(
            fmt::format("{}: holds something else than an emitted library; nothing was written. Name "
                        "another directory with -o",
                        directory.string()));
    }
    int written = 0;
    try {
        for (const EmittedFile& file : files) {
            const fs::path path = directory / file.path;
            if (text_of(path) == file.text) continue;
            replace_file(path, file.text);
            ++written;
        }
    } catch (const fs::filesystem_error& error) {
        throw OutsideFailure(error.what());
    }
    return written;
}

std::vector<MpiCompiler> find_mpi_compilers() {
    std::vector<MpiCompiler> found;
    for (const std::string mpi : {"mpich", "openmpi"}) {
        for (const std::string& name : {"mpicxx." + mpi, std::string("mpicxx"), std::string("mpic++")}) {
            const fs::path wrapper = in_path(name);
            if (wrapper.empty() || mpi_of(wrapper) != mpi) continue;
            found.push_back({mpi, wrapper});
            break;
        }
    }
    return found;
}

std::vector<MpiCompiler> choose_compilers(const std::vector<std::string>& mpis) {
    std::vector<MpiCompiler> found = find_mpi_compilers();
    if (mpis.empty() && found.empty()) {
        throw OutsideFailure(
            "no MPI compiler (mpicxx) is in PATH; install MPICH or Open MPI with its development files");
    }
    if (mpis.empty()) return found;
    std::vector<MpiCompiler> chosen;
    for (const std::string& mpi : mpis) {
        const auto at =
            std::find_if(found.begin(), found.end(), [&](const MpiCompiler& one) { return one.mpi == mpi; });
        if (at == found.end()) {
            throw OutsideFailure(
                fmt::format("no compiler of {0} is in PATH: neither mpicxx.{0} nor an mpicxx that is its", mpi));
        }
        chosen.push_back(*at);
    }
    return chosen;
}

fs::path compile_library(const fs::path& directory, const MpiCompiler& compiler) {
    const fs::path cmake = in_path("cmake");
    if (cmake.empty()) throw OutsideFailure("cmake is not in PATH; it is needed to build the library");
    const fs::path build = directory / "build" / compiler.mpi;
    const auto step = [&](const std::vector<std::string>& arguments) {
        const Outcome outcome = run(cmake, arguments);
        if (outcome.exit_code != 0) {
            throw OutsideFailure(
                fmt::format("building for {} in {} failed:\n{}", compiler.mpi, build.string(), outcome.output));
        }
    };
    step({"-S", directory.string(), "-B", build.string(), "-DMPI_CXX_COMPILER=" + compiler.compiler.string()});
    step({"--build", build.string()});
    for (const fs::directory_entry& entry : fs::directory_iterator(build)) {
        if (entry.path().filename().string().starts_with("libbcast_") && entry.path().extension() == ".so") {
            return entry.path();
        }
    }
    throw OutsideFailure(fmt::format("{}: no libbcast_*.so came out of the build", build.string()));
}

}  // namespace bcastgen
