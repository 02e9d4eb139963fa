#include "tuner/measure/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "base/outside_failure.hpp"
#include "base/text_file.hpp"
#include "bcast/trees/order.hpp"
#include "planner/mpis/broadcasts.hpp"
#include "tuner/measure/program_sources.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_quoted_bytes = 4000;  // of a failed job's output
constexpr double least_patience_s = 120;         // with a job that prints nothing: machines may be crowded
constexpr double patience_per_broadcast = 30;    // the slowest way, a few times over, on a network used by others

MeasurePlan plan_of(const Cluster& cluster, const Network& network, const MeasureRequest& request, const Job& job) {
    const std::vector<int> by_rank = machine_by_rank(job);
    const auto first_rank_on = [&](int machine) {
        return static_cast<int>(std::find(by_rank.begin(), by_rank.end(), machine) - by_rank.begin());
    };
    MeasurePlan plan;
    plan.root = first_rank_on(request.root);
    plan.peer = request.machines.size() < 2 ? plan.root + 1
                                            : first_rank_on(nearest_machine(network, request.machines, request.root));
    plan.repetitions = request.repetitions;
    plan.warm_ups = request.warm_ups;
    plan.seed = request.seed;
    plan.native = cluster.mpi();
    plan.arrival = request.arrival;
    plan.sends = request.sends;
    plan.cases = request.cases;
    plan.repetitions_by_case = request.repetitions_by_case;
    return plan;
}

/// Reads a line of the measuring program; false if it is not a sample.
bool read_sample(std::string_view line, std::size_t& case_index, Sample& sample) {
    std::istringstream in{std::string(line)};
    std::string word;
    int ok = 0;
    in >> word >> case_index >> sample.completion_us >> sample.per_node_mean_us >> sample.per_node_worst_us >>
        sample.osu_avg_us >> sample.segment_bytes >> ok;
    sample.bytes_ok = ok == 1;
    return in && word == "sample";
}

/// How long a job that prints a line after each broadcast may be silent.
std::chrono::seconds silence_limit(const Network& network, const MeasureRequest& request) {
    double slowest_Bps = std::numeric_limits<double>::max();
    for (const int machine : request.machines) {
        slowest_Bps = std::min(slowest_Bps, network.machines[static_cast<std::size_t>(machine)].port.bandwidth_Bps);
    }
    std::size_t largest_bytes = 0;
    for (const MeasureCase& one : request.cases) largest_bytes = std::max(largest_bytes, one.message_bytes);
    const double messages =
        static_cast<double>(request.machines.size()) * request.ranks_per_machine + request.arrival.most_if;
    const double one_message_s = static_cast<double>(largest_bytes) / slowest_Bps;
    const double limit_s = least_patience_s + patience_per_broadcast * messages * one_message_s;
    return std::chrono::seconds(static_cast<long>(std::min(limit_s, 1e6)));
}

/// "begin linear 8192 1048576" in words; empty for other lines.
std::string broadcast_named_in(std::string_view line) {
    std::istringstream in{std::string(line)};
    std::string word;
    MeasureCase one;
    in >> word >> one.algorithm >> one.segment_bytes >> one.message_bytes;
    if (!in || word != "begin") return "";
    return fmt::format(" in {} of {} bytes", one.algorithm, one.message_bytes) +
           (one.segment_bytes == 0 ? "" : fmt::format(" in segments of {}", one.segment_bytes));
}

std::size_t least_message_bytes(const std::vector<MeasureCase>& cases) {
    const auto least = std::min_element(cases.begin(), cases.end(), [](const MeasureCase& a, const MeasureCase& b) {
        return a.message_bytes < b.message_bytes;
    });
    return least == cases.end() ? 0 : least->message_bytes;
}

bool has_of(MpiFamily family, const std::vector<MeasureCase>& cases) {
    return std::any_of(cases.begin(), cases.end(), [&](const MeasureCase& one) {
        const MpiBroadcast* own = mpi_broadcast_called(one.algorithm);
        return own != nullptr && own->of == family;
    });
}

std::string last_words(const JobOutcome& outcome) {
    std::string words = outcome.errors;
    if (words.size() > most_quoted_bytes) words = "…" + words.substr(words.size() - most_quoted_bytes);
    return words.empty() ? "It said nothing." : words;
}

}  // namespace

int nearest_machine(const Network& network, const std::vector<int>& machines, int root) {
    const bcast::Order order = bcast::depth_first_order(layout_of(network), machines, root);
    return order.machines.at(1);
}

fs::path build_measuring_program(Cluster& cluster, const fs::path& library_directory, const fs::path& work_directory,
                                 std::chrono::steady_clock::time_point deadline) {
    const fs::path directory = work_directory / "measure";
    ProgramSources program;
    program.name = "bcastgen-measure";
    program.deadline = deadline;
    for (const EmbeddedFile& source : program_sources()) {
        const fs::path file = directory / source.name;
        fs::create_directories(file.parent_path());
        write_file(file, source.text);
        if (file.extension() == ".cpp") program.sources.push_back(file);
    }
    program.sources.push_back(library_directory / "mpi_bcast.cpp");
    program.include_directories = {library_directory, directory};
    return cluster.compile(program);
}

namespace {

/// Runs the plan; `on_line` gets each line of the measuring program. True if the job came to its end, or had printed
/// everything (it may hang in MPI_Finalize).
void run_plan(Cluster& cluster, const Network& network, const fs::path& program, const fs::path& work_directory,
              const MeasureRequest& request, const std::function<void(std::string_view)>& on_line,
              const std::function<bool()>& complete) {
    const fs::path plan = work_directory / "measure.plan";
    Job job;
    job.program = program;
    job.arguments = {plan.string()};
    job.environment = request.environment;
    if (has_of(MpiFamily::open_mpi, request.cases)) job.environment["OMPI_MCA_coll_tuned_use_dynamic_rules"] = "1";
    job.machines = request.machines;
    job.ranks_per_machine = request.ranks_per_machine;
    job.distribution = request.distribution;
    job.least_message_bytes = least_message_bytes(request.cases);
    job.time_limit = request.time_limit;
    job.silence_limit = silence_limit(network, request);
    std::string last;  // the broadcast that began
    job.on_line = [&](std::string_view line) {
        if (std::string begun = broadcast_named_in(line); !begun.empty()) last = std::move(begun);
        on_line(line);
    };
    write_file(plan, write_measure_plan(plan_of(cluster, network, request, job)));
    const JobOutcome outcome = cluster.run(job);
    if (complete() && outcome.timed_out) return;  // it hung in MPI_Finalize, and was ended
    if (outcome.timed_out) {
        const std::string limit =
            job.time_limit.count() > 0 ? fmt::format("did not end within {} s, or ", job.time_limit.count()) : "";
        throw OutsideFailure(fmt::format("the measuring program {}said nothing for {} s, on the {} cluster{}. {}",
                                         limit, job.silence_limit.count(), cluster.name(), last, last_words(outcome)));
    }
    if (outcome.exit_code != 0 || !complete()) {
        throw OutsideFailure(fmt::format("the measuring program failed on the {} cluster{} (result {}). {}",
                                         cluster.name(), last, outcome.exit_code, last_words(outcome)));
    }
}

}  // namespace

std::vector<std::vector<Sample>> measure(Cluster& cluster, const Network& network, const fs::path& program,
                                         const fs::path& work_directory, const MeasureRequest& request,
                                         const OnSample& on_sample) {
    std::vector<std::vector<Sample>> samples(request.cases.size());
    const auto read = [&](std::string_view line) {
        std::size_t case_index = 0;
        Sample sample;
        if (!read_sample(line, case_index, sample) || case_index >= samples.size()) return;
        samples[case_index].push_back(sample);
        if (on_sample) on_sample(case_index, sample);
    };
    const auto complete = [&] {
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const int wanted =
                request.repetitions_by_case.empty() ? request.repetitions : request.repetitions_by_case[i];
            if (samples[i].size() != static_cast<std::size_t>(wanted)) return false;
        }
        return true;
    };
    run_plan(cluster, network, program, work_directory, request, read, complete);
    return samples;
}

std::string version_in(std::string_view words) {
    words = words.substr(0, words.find(','));
    if (const std::size_t configure = words.find(" configure:"); configure != std::string_view::npos) {
        words = words.substr(0, words.rfind(' ', configure - 1));
    }
    std::string version;
    for (const char c : words) {
        const char shown = c == '\t' ? ' ' : c;
        if (shown != ' ' || (!version.empty() && version.back() != ' ')) version += shown;
    }
    return version;
}

std::string mpi_version(Cluster& cluster, const Network& network, const fs::path& program,
                        const fs::path& work_directory, MeasureRequest request) {
    request.cases.clear();
    request.repetitions_by_case.clear();
    std::string version;
    const auto read = [&](std::string_view line) {
        constexpr std::string_view word = "mpi ";
        if (!line.starts_with(word)) return;
        version = version_in(line.substr(word.size()));
    };
    run_plan(cluster, network, program, work_directory, request, read, [&] { return !version.empty(); });
    return version;
}

}  // namespace bcastgen
