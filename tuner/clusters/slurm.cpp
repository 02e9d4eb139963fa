#include "tuner/clusters/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/hostlist.hpp"
#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "tuner/clusters/mpi_launcher.hpp"
#include "tuner/clusters/program_cache.hpp"
#include "tuner/clusters/slurm_script.hpp"

namespace bcastgen {

namespace {

class SlurmCluster : public Cluster {
  public:
    SlurmCluster(ClusterRequest request, std::map<int, std::string> hosts)
        : request_(std::move(request)), hosts_(std::move(hosts)), submits_(hosts_.empty()) {
        if (!submits_) return;
        for (const Machine& machine : request_.network.machines) {
            hosts_.emplace(static_cast<int>(hosts_.size()), machine.name);
        }
    }

    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }

    [[nodiscard]] std::optional<CostedNetwork> costed_network() const override {
        return as_described(request_.network);
    }

    void prepare() override {
        for (const char* tool : {"srun", "sbatch", "scontrol", "scancel"}) {
            if (find_program(tool).empty()) {
                throw OutsideFailure(fmt::format(
                    "{} is not in PATH; the slurm cluster needs Slurm's commands (Debian: slurm-client)", tool));
            }
        }
        if (open_mpi()) launcher_ = mpi_launcher(request_);
    }

    std::filesystem::path compile(const ProgramSources& program) override {
        return compile_program(program, request_.mpi_compiler, {}, request_.work_directory / request_.mpi);
    }

    JobOutcome run(const Job& job) override {
        return submits_ ? submit(job) : run_launcher(words(job), environment(job), job);
    }

    void clean_up() override {}  // jobs and steps end with their run

  private:
    [[nodiscard]] bool open_mpi() const { return request_.mpi == "openmpi"; }

    /// The command that starts the ranks from inside an allocation.
    [[nodiscard]] std::vector<std::string> words(const Job& job) const {
        if (open_mpi()) return launcher_words(request_, launcher_, job, hosts_);
        const char* chosen = std::getenv("SLURM_MPI_TYPE");
        const std::size_t ranks = job.machines.size() * static_cast<std::size_t>(job.ranks_per_machine);
        // The sequence of the ranks is the host file's. --overlap: we may be a step of the allocation ourselves.
        std::vector<std::string> words = {"srun",
                                          fmt::format("--mpi={}", chosen != nullptr ? chosen : "pmi2"),
                                          fmt::format("--nodes={}", job.machines.size()),
                                          fmt::format("--ntasks={}", ranks),
                                          "--distribution=arbitrary",
                                          "--overlap",
                                          "--kill-on-bad-exit=1",
                                          job.program.string()};
        words.insert(words.end(), job.arguments.begin(), job.arguments.end());
        return words;
    }

    /// What that command needs in its environment. srun hands its own on to the ranks.
    std::map<std::string, std::string> environment(const Job& job) const {
        if (open_mpi()) return root_environment();
        std::map<std::string, std::string> variables = job.environment;
        std::string lines;
        for (const int machine : machine_by_rank(job)) lines += hosts_.at(machine) + "\n";
        const std::filesystem::path host_file = request_.work_directory / "slurm.hosts";
        write_file(host_file, lines);
        variables["SLURM_HOSTFILE"] = host_file.string();
        return variables;
    }

    JobOutcome submit(const Job& job) {
        const std::filesystem::path& directory = request_.work_directory;
        BatchJob batch;
        for (const int machine : job.machines) batch.hosts.push_back(hosts_.at(machine));
        batch.ranks_per_host = job.ranks_per_machine;
        batch.time_limit = job.time_limit;
        batch.environment = environment(job);
        batch.words = words(job);
        batch.directory = directory;
        write_file(directory / batch_script_file, batch_script(batch));
        const std::filesystem::path follower = directory / "slurm.follow";
        write_file(follower, batch_follower());
        Command command;
        command.words = {"sh", follower.string(), directory.string()};
        command.silence_limit = job.silence_limit;  // in a queue there is news
        JobOutcome result;
        bool submitted = false;
        command.on_line = [&](std::string_view line) {
            if (line.starts_with(batch_news)) {
                submitted = true;
                tell(std::string(line.substr(batch_news.size())));
                return;
            }
            result.output.append(line).append("\n");
            if (job.on_line) job.on_line(line);
        };
        CommandOutcome outcome = run_command(command);
        if (!submitted) throw OutsideFailure("Slurm did not take the job: " + outcome.errors);
        std::ifstream errors(directory / batch_errors_file, std::ios::binary);
        outcome.errors.append(std::istreambuf_iterator<char>(errors), {});
        result.exit_code = outcome.exit_code;
        result.timed_out = outcome.timed_out;
        result.errors = std::move(outcome.errors);
        return result;
    }

    /// Each piece of news once.
    void tell(const std::string& news) {
        if (news != std::exchange(last_news_, news) && request_.on_news) request_.on_news(news);
    }

    ClusterRequest request_;
    std::map<int, std::string> hosts_;
    bool submits_;
    std::string launcher_;
    std::string last_news_;
};

}  // namespace

std::unique_ptr<Cluster> make_slurm_cluster(ClusterRequest request, std::map<int, std::string> hosts) {
    return std::make_unique<SlurmCluster>(std::move(request), std::move(hosts));
}

int run_as_batch_job(const BatchJob& job, const std::function<void(std::string_view)>& on_line,
                     const std::function<void(const std::string&)>& on_news) {
    write_file(job.directory / batch_script_file, batch_script(job));
    const std::filesystem::path follower = job.directory / "slurm.follow";
    write_file(follower, batch_follower());
    Command command;
    command.words = {"sh", follower.string(), job.directory.string()};
    bool submitted = false;
    std::string last_news;
    command.on_line = [&](std::string_view line) {
        if (!line.starts_with(batch_news)) {
            on_line(line);
            return;
        }
        submitted = true;
        const std::string news(line.substr(batch_news.size()));
        if (news != std::exchange(last_news, news)) on_news(news);
    };
    const CommandOutcome outcome = run_command(command);
    if (!submitted) throw OutsideFailure("Slurm did not take the job: " + outcome.errors);
    if (outcome.exit_code == 1 && !outcome.errors.empty()) throw OutsideFailure(outcome.errors);
    return outcome.exit_code;
}

std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text) {
    long days = 0;
    if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
        const auto [at, error] = std::from_chars(text.data(), text.data() + dash, days);
        if (error != std::errc() || at != text.data() + dash) return std::nullopt;
        text.remove_prefix(dash + 1);
    }
    long seconds = 0;
    int fields = 0;
    while (true) {
        const std::size_t colon = std::min(text.find(':'), text.size());
        long field = 0;
        const auto [at, error] = std::from_chars(text.data(), text.data() + colon, field);
        if (error != std::errc() || at != text.data() + colon || colon == 0 || field < 0) return std::nullopt;
        seconds = 60 * seconds + field;
        ++fields;
        if (colon == text.size()) break;
        text.remove_prefix(colon + 1);
    }
    if (fields < 2 || fields > 3) return std::nullopt;
    return std::chrono::seconds(86400 * days + seconds);
}

std::optional<std::chrono::seconds> allocation_time_left() {
    const char* id = std::getenv("SLURM_JOB_ID");
    if (id == nullptr || find_program("squeue").empty()) return std::nullopt;
    Command command;
    command.words = {"squeue", "--noheader", "--jobs", id, "--format", "%L"};
    const CommandOutcome outcome = run_command(command);
    std::string_view text = outcome.output;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    return outcome.exit_code == 0 ? parse_slurm_time(text) : std::nullopt;
}

std::vector<std::string> allocated_hosts() {
    const char* list = std::getenv("SLURM_JOB_NODELIST");
    return list != nullptr ? expand_hostlist(list) : std::vector<std::string>();
}

}  // namespace bcastgen
