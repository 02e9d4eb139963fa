#include "cli/run/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <regex>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/process.hpp"
#include "cli/doctor/machine_lists.hpp"
#include "codegen/build/library_build.hpp"

namespace bcastgen {

namespace {

constexpr std::chrono::seconds longest_version{10};
constexpr const char* mpich = "mpich";
constexpr const char* openmpi = "openmpi";

bool is_launcher(const std::string& word) {
    static const std::regex launchers("(mpiexec|mpirun|orterun|prterun).*");
    return std::regex_match(std::filesystem::path(word).filename().string(), launchers);
}

/// By what a launcher says of itself; empty if it is of neither family.
std::string mpi_of_launcher(const std::string& launcher) {
    Command command;
    command.words = {launcher, "--version"};
    command.time_limit = longest_version;
    const std::string said = run_command(command).output;
    for (const char* name : {"Open MPI", "OpenRTE", "PRRTE"}) {
        if (said.find(name) != std::string::npos) return openmpi;
    }
    for (const char* name : {"HYDRA", "Hydra", "Intel(R) MPI"}) {
        if (said.find(name) != std::string::npos) return mpich;
    }
    return "";
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// The launcher's own words, up to the program.
std::vector<std::string> launcher_part(const std::vector<std::string>& command) {
    const auto program = std::find_if(command.begin() + 1, command.end(), [](const std::string& word) {
        return !word.starts_with('-') && !find_program(word).empty();
    });
    return {command.begin(), program};
}

/// Whether somebody has said on which hosts the ranks are to run.
bool names_hosts(const std::vector<std::string>& launcher) {
    for (const char* name : {"HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_prte_default_hostfile",
                             "SLURM_JOB_ID", "PBS_NODEFILE", "LSB_JOBID", "PE_HOSTFILE"}) {
        if (!variable(name).empty()) return true;
    }
    return std::any_of(launcher.begin(), launcher.end(), [](const std::string& word) {
        return word.starts_with("-host") || word.starts_with("--host") || word.starts_with("-machinefile") ||
               word.starts_with("--machinefile") || word == "-f" || word == "-H" || word.starts_with("-rf") ||
               word.starts_with("--rankfile");
    });
}

/// What -n asks for; nothing if nothing does.
std::optional<std::size_t> ranks_of(const std::vector<std::string>& launcher) {
    for (std::size_t i = 1; i + 1 < launcher.size(); ++i) {
        const std::string& word = launcher[i];
        if (word != "-n" && word != "-np" && word != "--n" && word != "--np" && word != "-c") continue;
        const std::string& text = launcher[i + 1];
        std::size_t ranks = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
        if (error == std::errc() && end == text.data() + text.size() && ranks > 0) return ranks;
    }
    return std::nullopt;
}

}  // namespace

std::string mpi_of_command(const std::vector<std::string>& command) {
    if (is_launcher(command.front())) {
        if (std::string mpi = mpi_of_launcher(command.front()); !mpi.empty()) return mpi;
    }
    if (const std::string mpi = variable("BCASTGEN_MPI"); mpi == mpich || mpi == openmpi) return mpi;
    const std::vector<MpiCompiler> compilers = choose_compilers({});
    if (compilers.size() == 1) return compilers.front().mpi;
    throw InputErrors({{"--mpi", 0, 0,
                        fmt::format("{} does not tell which MPI the program runs with, and this host has several; say "
                                    "--mpi {} or --mpi {}",
                                    in_quotes(command.front()), mpich, openmpi),
                        ""}});
}

std::string played_machines(const Network& network, const std::vector<std::string>& command) {
    const std::vector<std::string> launcher = launcher_part(command);
    if (!variable("BCASTGEN_MACHINES").empty() || !is_launcher(command.front()) || names_hosts(launcher) ||
        machine_of_this_host(network)) {
        return "";
    }
    const std::size_t machines = network.machines.size();
    const std::size_t ranks = ranks_of(launcher).value_or(machines);
    const std::size_t each = (ranks + machines - 1) / machines;
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < ranks; ++rank) names.push_back(network.machines[rank / each].name);
    return each == 1 ? fold_hostlist(names) : fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> under(const std::map<std::string, std::string>& environment, const std::string& mpi,
                               const std::vector<std::string>& command) {
    std::vector<std::string> names;
    std::vector<std::string> words = {"env"};
    for (const auto& [name, value] : environment) {
        names.push_back(name);
        words.push_back(fmt::format("{}={}", name, value));
    }
    if (mpi != openmpi) {
        words.insert(words.end(), command.begin(), command.end());
    } else if (is_launcher(command.front())) {
        words.push_back(command.front());
        for (const std::string& name : names) words.insert(words.end(), {"-x", name});
        words.insert(words.end(), command.begin() + 1, command.end());
    } else {  // a script that starts the launcher; which does not take both this and -x
        words.push_back(fmt::format("OMPI_MCA_mca_base_env_list={}", fmt::join(names, ";")));
        words.insert(words.end(), command.begin(), command.end());
    }
    return words;
}

}  // namespace bcastgen
