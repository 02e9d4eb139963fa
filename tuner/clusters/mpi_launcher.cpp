#include "tuner/clusters/mpi_launcher.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/outside_failure.hpp"
#include "base/process.hpp"

namespace bcastgen {

namespace {

/// host:ranks,host:ranks, each host once.
std::string host_words(const Job& job, const std::map<int, std::string>& hosts) {
    std::string words;
    for (const int machine : job.machines) {
        words += fmt::format("{}{}:{}", words.empty() ? "" : ",", hosts.at(machine), job.ranks_per_machine);
    }
    return words;
}

}  // namespace

std::string mpi_launcher(const ClusterRequest& request) {
    if (const auto found = find_program("mpiexec." + request.mpi); !found.empty()) return found.string();
    const auto beside = find_program(request.mpi_compiler.string()).parent_path() / "mpiexec";
    if (const auto found = find_program(beside.string()); !found.empty()) return found.string();
    throw OutsideFailure(
        fmt::format("no launcher of {0}: neither mpiexec.{0} is in PATH nor {1} there", request.mpi, beside.string()));
}

std::vector<std::string> launcher_words(const ClusterRequest& request, const std::string& launcher, const Job& job,
                                        const std::map<int, std::string>& hosts) {
    const bool open_mpi = request.mpi == "openmpi";
    const std::size_t ranks = job.machines.size() * static_cast<std::size_t>(job.ranks_per_machine);
    std::vector<std::string> words = {launcher, "-n", std::to_string(ranks)};
    const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
    if (open_mpi) add({"--oversubscribe", "--bind-to", "none"});
    if (!hosts.empty()) add({open_mpi ? "--host" : "-hosts", host_words(job, hosts)});
    if (!hosts.empty() && job.distribution == Distribution::cyclic) {
        if (open_mpi) {
            add({"--map-by", "node"});
        } else {
            add({"-ppn", "1"});  // Hydra goes round its hosts until it has started all
        }
    }
    for (const auto& [variable, value] : job.environment) {
        if (open_mpi) {
            add({"-x", variable + "=" + value});
        } else {
            add({"-genv", variable, value});
        }
    }
    words.push_back(job.program.string());
    words.insert(words.end(), job.arguments.begin(), job.arguments.end());
    return words;
}

JobOutcome run_launcher(std::vector<std::string> words, std::map<std::string, std::string> environment,
                        const Job& job) {
    Command command;
    command.words = std::move(words);
    command.environment = std::move(environment);
    command.time_limit = job.time_limit;
    command.silence_limit = job.silence_limit;
    command.on_line = job.on_line;
    CommandOutcome outcome = run_command(command);
    return {outcome.exit_code, outcome.timed_out, std::move(outcome.output), std::move(outcome.errors)};
}

std::map<std::string, std::string> root_environment() {
    if (geteuid() != 0) return {};
    return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
}

}  // namespace bcastgen
