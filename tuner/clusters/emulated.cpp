#include "tuner/clusters/emulated.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/hostlist.hpp"
#include "base/process.hpp"
#include "tuner/clusters/lab/files.hpp"
#include "tuner/clusters/lab/lab.hpp"
#include "tuner/clusters/mpi_launcher.hpp"
#include "tuner/clusters/program_cache.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t longest_process_name = 15;  // the kernel keeps no more

class EmulatedCluster : public Cluster {
  public:
    EmulatedCluster(ClusterRequest request, LabSettings settings) : request_(std::move(request)), settings_(settings) {}

    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }

    void prepare() override {
        launcher_ = mpi_launcher(request_);
        lab_.emplace(request_.network, settings_);
    }

    std::filesystem::path compile(const ProgramSources& program) override {
        return compile_program(program, request_.mpi_compiler, {}, request_.work_directory / request_.mpi);
    }

    JobOutcome run(const Job& job) override {
        std::map<int, std::string> hosts;
        for (const int machine : job.machines) hosts[machine] = machine_name(machine);
        const std::string& first = hosts.at(job.machines.front());
        Command command =
            command_in(lab_->record(), first, launcher_words(request_, launcher_, job, hosts), request_.work_directory);
        command.time_limit = job.time_limit;
        command.silence_limit = stretched(job.silence_limit);
        command.on_line = job.on_line;
        std::string unfinished;
        command.on_time_limit = [&] { unfinished = unfinished_machines(job); };
        CommandOutcome outcome = run_command(command);
        lab_->end_processes();  // launchers leave some behind when they are ended
        return {outcome.exit_code, outcome.timed_out, std::move(outcome.output), outcome.errors + unfinished};
    }

    void clean_up() override { lab_.reset(); }

  private:
    /// A time on a network that --rate made slower.
    [[nodiscard]] std::chrono::milliseconds stretched(std::chrono::seconds time) const {
        const std::chrono::duration<double> longer(time / std::min(1.0, speed_factor(request_.network, settings_)));
        return std::chrono::duration_cast<std::chrono::milliseconds>(longer);
    }

    [[nodiscard]] const std::string& machine_name(int machine) const {
        return request_.network.machines[static_cast<std::size_t>(machine)].name;
    }

    /// Where the job's ranks are, when they should all have ended: on which machines there are as many as there should
    /// be, and on which not; stopped ones (a debugger, a signal) stand out.
    [[nodiscard]] std::string unfinished_machines(const Job& job) const {
        const std::string program = job.program.filename().string().substr(0, longest_process_name);
        std::map<std::string, int> left;
        std::vector<std::string> stopped;
        for (const LabProcess& process : lab_->processes()) {
            if (process.program != program || process.state == 'Z') continue;
            ++left[process.machine];
            if (process.state == 'T' || process.state == 't') stopped.push_back(process.machine);
        }
        std::vector<std::string> running;
        std::vector<std::string> ended;
        for (const int machine : job.machines) {
            const std::string& name = machine_name(machine);
            (left[name] > 0 ? running : ended).push_back(name);
        }
        std::string text = "\n";
        const auto tell = [&](const char* what, const std::vector<std::string>& names) {
            if (!names.empty()) text += fmt::format("{}: {}\n", what, fold_hostlist(names));
        };
        tell("machines whose ranks have not ended", running);
        tell("machines whose ranks have ended or never started", ended);
        tell("machines whose ranks are stopped", stopped);
        return text;
    }

    ClusterRequest request_;
    LabSettings settings_;
    std::string launcher_;
    std::optional<Lab> lab_;
};

}  // namespace

std::unique_ptr<Cluster> make_emulated_cluster(ClusterRequest request, LabSettings settings) {
    return std::make_unique<EmulatedCluster>(std::move(request), settings);
}

}  // namespace bcastgen
