#include "tuner/clusters/mpiexec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"
#include "tuner/clusters/lab/idle_shim.hpp"
#include "tuner/clusters/mpi_launcher.hpp"
#include "tuner/clusters/program_cache.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {

namespace {

/// Which machine every rank plays, for BCASTGEN_MACHINES.
std::string played_machines(const Job& job, const Network& network) {
    std::string played;
    for (const int machine : machine_by_rank(job)) {
        played += (played.empty() ? "" : ",") + network.machines[static_cast<std::size_t>(machine)].name;
    }
    return played;
}

class MpiexecCluster : public Cluster {
  public:
    MpiexecCluster(ClusterRequest request, std::map<int, std::string> hosts)
        : request_(std::move(request)), hosts_(std::move(hosts)) {}

    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }

    [[nodiscard]] std::optional<CostedNetwork> costed_network() const override {
        if (hosts_.empty()) return std::nullopt;
        return as_described(request_.network);
    }

    void prepare() override {
        launcher_ = mpi_launcher(request_);
        if (!hosts_.empty()) return;
        shim_ = request_.work_directory / "libidle_shim.so";
        if (shim_.string().find_first_of(" :") != std::string::npos) {  // either ends a name in LD_PRELOAD
            shim_ = shim_place_.emplace("/tmp").path() / shim_.filename();
        }
        write_file(shim_, idle_shim_library());
    }

    std::filesystem::path compile(const ProgramSources& program) override {
        return compile_program(program, request_.mpi_compiler, {}, request_.work_directory / request_.mpi);
    }

    JobOutcome run(const Job& job) override {
        Job placed = job;
        if (hosts_.empty()) {
            placed.environment["BCASTGEN_MACHINES"] = played_machines(job, request_.network);
            // More ranks than processors: those that wait must step aside.
            std::string& preloaded = placed.environment["LD_PRELOAD"];
            preloaded = shim_.string() + (preloaded.empty() ? "" : ":" + preloaded);
        }
        return run_launcher(launcher_words(request_, launcher_, placed, hosts_), root_environment(), job);
    }

    void clean_up() override {}  // the launcher ends its ranks

  private:
    ClusterRequest request_;
    std::map<int, std::string> hosts_;
    std::string launcher_;
    std::optional<TemporaryDirectory> shim_place_;
    std::filesystem::path shim_;
};

/// The first word of every line, each once.
std::vector<std::string> hosts_in(const char* file) {
    std::vector<std::string> hosts;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::string host;
        std::istringstream(line) >> host;
        if (!host.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
    }
    return hosts;
}

}  // namespace

std::unique_ptr<Cluster> make_mpiexec_cluster(ClusterRequest request, std::map<int, std::string> hosts) {
    return std::make_unique<MpiexecCluster>(std::move(request), std::move(hosts));
}

std::vector<std::string> batch_hosts() {
    if (std::vector<std::string> hosts = allocated_hosts(); !hosts.empty()) return hosts;
    for (const char* variable : {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "OAR_NODEFILE", "PE_HOSTFILE"}) {
        if (const char* file = std::getenv(variable)) return hosts_in(file);
    }
    return {};
}

std::map<int, std::string> machines_of_hosts(const Network& network, const std::vector<std::string>& hosts) {
    std::map<std::string, int> index;
    std::vector<std::string> names;
    for (const Machine& machine : network.machines) {
        index.emplace(machine.name, static_cast<int>(names.size()));
        names.push_back(machine.name);
    }
    std::map<int, std::string> machines;
    std::vector<Diagnostic> errors;
    for (const std::string& host : hosts) {
        auto found = index.find(host);
        if (found == index.end()) found = index.find(host.substr(0, host.find('.')));
        if (found == index.end()) {
            errors.push_back(
                {"--hosts", 0, 0,
                 fmt::format("no machine {} in {}{}", in_quotes(host), network.name, did_you_mean(host, names)), ""});
        } else if (!machines.emplace(found->second, host).second) {
            errors.push_back({"--hosts", 0, 0, fmt::format("machine {} is listed twice", found->first), ""});
        }
    }
    if (!errors.empty()) throw InputErrors(errors);
    return machines;
}

}  // namespace bcastgen
