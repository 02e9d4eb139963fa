#include "tuner/measure/wiring_instrument.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <sstream>

#include "base/index.hpp"
#include "base/outside_failure.hpp"
#include "base/text_file.hpp"
#include "tuner/measure/wiring_program_sources.hpp"
#include "tuner/program/wiring/questions.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen {

namespace {

constexpr double least_chunk_bytes = 32768;
constexpr double least_simulated_chunk_bytes = 65536;  // models treat shorter messages in other ways
constexpr double most_chunk_bytes = 1 << 20;
constexpr double least_chunk_s = 2e-3;
// A chunk takes so many times the latency of the longest way, which must not count.
constexpr double ways_per_chunk = 10;
constexpr double simulated_ways_per_chunk = 50;  // the usual model makes much of described latencies
constexpr double chunks_per_round = 40;          // at the speed of a port
constexpr double least_round_s = 0.3;            // on a network that somebody may disturb
constexpr double first_guess_Bps = 12.5e6;
constexpr double slowest_port_Bps = 1e4;
constexpr int trips_of_many = 30;
constexpr int trips_of_few = 4;  // where all are alike after the first
constexpr double patience = 20;  // with a job, over what its rounds take
constexpr long least_wait_s = 180;
constexpr std::size_t most_last_words = 4000;

double chunk_bytes(const WiringMeasurement& measurement) {
    const bool is_modelled = measurement.exact && !measurement.way_is_measured;
    const double ways = is_modelled ? simulated_ways_per_chunk : ways_per_chunk;
    const double seconds = std::max(least_chunk_s, ways * measurement.longest_way_s);
    return std::clamp(measurement.port_Bps * seconds,
                      measurement.exact ? least_simulated_chunk_bytes : least_chunk_bytes, most_chunk_bytes);
}

/// The machines of the rounds, of the network that is asked about.
std::vector<int> machines_of(const std::vector<Round>& rounds) {
    std::vector<int> machines;
    for (const Round& round : rounds) {
        for (const Stream& stream : round.streams) {
            machines.push_back(stream.from);
            machines.push_back(stream.to);
        }
    }
    std::sort(machines.begin(), machines.end());
    machines.erase(std::unique(machines.begin(), machines.end()), machines.end());
    return machines;
}

WiringQuestions questions_of(const WiringMeasurement& measurement, const std::vector<Round>& rounds,
                             const std::vector<int>& machines) {
    std::map<int, int> rank;
    for (const int machine : machines) rank.emplace(machine, static_cast<int>(rank.size()));
    WiringQuestions questions;
    questions.seconds = round_seconds(measurement);
    questions.chunk_bytes = static_cast<std::size_t>(chunk_bytes(measurement));
    questions.trips = measurement.exact ? trips_of_few : trips_of_many;
    for (const Round& round : rounds) {
        WiringRound asked;
        asked.rates = round.asked == Asked::rates;
        for (const Stream& stream : round.streams) asked.streams.emplace_back(rank.at(stream.from), rank.at(stream.to));
        questions.rounds.push_back(std::move(asked));
    }
    return questions;
}

/// The program's last line; below 0: it is another one.
double seconds_taken(std::string_view line) {
    std::istringstream in{std::string(line)};
    std::string word;
    double seconds = -1;
    return in >> word >> seconds && word == "took" ? seconds : -1;
}

/// Takes a line of the program for the answer that it is; false for others.
bool read_answer(std::string_view line, const std::vector<Round>& rounds, std::vector<Answer>& answers) {
    std::istringstream in{std::string(line)};
    std::string word;
    std::size_t round = 0;
    if (!(in >> word >> round) || word != "answer" || round >= rounds.size()) return false;
    Answer answer;
    for (double figure = 0; in >> figure;) answer.push_back(figure);
    if (answer.size() != rounds[round].streams.size()) return false;
    answers[round] = std::move(answer);
    return true;
}

std::vector<Answer> ask_cluster(const WiringMeasurement& measurement, const std::vector<Round>& rounds) {
    const std::vector<int> machines = machines_of(rounds);
    const std::filesystem::path file = measurement.work_directory / "wiring.questions";
    write_file(file, write_wiring_questions(questions_of(measurement, rounds, machines)));
    std::vector<Answer> answers(rounds.size());
    std::size_t answered = 0;
    Job job;
    job.program = measurement.program;
    job.arguments = {file.string()};
    for (const int machine : machines) job.machines.push_back(measurement.machines[at(machine)]);
    const auto limit_s = static_cast<long>(patience * static_cast<double>(rounds.size()) * round_seconds(measurement));
    job.time_limit = std::chrono::seconds(measurement.exact ? 0 : least_wait_s + limit_s);
    job.silence_limit = std::chrono::seconds(least_wait_s + static_cast<long>(patience * round_seconds(measurement)));
    job.on_line = [&](std::string_view line) {
        if (const double seconds = seconds_taken(line); seconds >= 0 && measurement.on_took)
            measurement.on_took(seconds);
        if (!read_answer(line, rounds, answers)) return;
        ++answered;
        if (measurement.on_progress) measurement.on_progress(answered, rounds.size());
    };
    const JobOutcome outcome = measurement.cluster.run(job);
    const bool complete = answered == rounds.size();
    if (complete && (outcome.exit_code == 0 || outcome.timed_out)) return answers;  // some MPIs hang in MPI_Finalize
    std::string words = outcome.errors.empty() ? "It said nothing." : outcome.errors;
    if (words.size() > most_last_words) words = "…" + words.substr(words.size() - most_last_words);
    throw OutsideFailure(fmt::format("the wiring program {} on the {} cluster after {} of {} rounds (result {}). {}",
                                     outcome.timed_out ? "did not end in time" : "failed", measurement.cluster.name(),
                                     answered, rounds.size(), outcome.exit_code, words));
}

}  // namespace

double round_seconds(const WiringMeasurement& measurement) {
    const double seconds = chunks_per_round * chunk_bytes(measurement) / measurement.port_Bps;
    return measurement.exact ? seconds : std::max(least_round_s, seconds);
}

void calibrate(WiringMeasurement& measurement) {
    std::vector<int> order(measurement.machines.size());
    std::iota(order.begin(), order.end(), 0);
    const std::vector<Round> rounds{neighbour_round(order, 0, Asked::rates),
                                    neighbour_round(order, 0, Asked::round_trips)};
    measurement.port_Bps = first_guess_Bps;
    for (int turn = 0; turn < 2; ++turn) {  // by the first guess some speeds are far off
        std::vector<Answer> answers = ask_cluster(measurement, rounds);
        std::sort(answers[0].begin(), answers[0].end());
        measurement.port_Bps = std::max(slowest_port_Bps, answers[0][answers[0].size() / 2]);
        measurement.longest_way_s = 2 * *std::max_element(answers[1].begin(), answers[1].end());
    }
}

void learn_longest_way(WiringMeasurement& measurement, const std::vector<Round>& rounds,
                       const std::vector<Answer>& answers) {
    double longest_trip_s = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        if (rounds[r].asked != Asked::round_trips) return;
        for (const double trip_s : answers[r]) longest_trip_s = std::max(longest_trip_s, trip_s);
    }
    measurement.longest_way_s = longest_trip_s / 2 / measurement.speed_factor;
    measurement.way_is_measured = true;
}

std::filesystem::path build_wiring_program(Cluster& cluster, const std::filesystem::path& work_directory) {
    const std::filesystem::path directory = work_directory / "wiring";
    ProgramSources program;
    program.name = "bcastgen-wiring";
    for (const EmbeddedFile& source : wiring_program_sources()) {
        const std::filesystem::path file = directory / source.name;
        std::filesystem::create_directories(file.parent_path());
        write_file(file, source.text);
        if (file.extension() == ".cpp") program.sources.push_back(file);
    }
    program.include_directories = {directory};
    return cluster.compile(program);
}

Instrument wiring_instrument(const WiringMeasurement& measurement) {
    return [measurement](const std::vector<Round>& rounds) {
        std::vector<Answer> answers = ask_cluster(measurement, rounds);
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            for (double& figure : answers[r]) {
                figure = rounds[r].asked == Asked::rates ? figure / measurement.speed_factor
                                                         : figure * measurement.speed_factor;
            }
        }
        return answers;
    };
}

}  // namespace bcastgen
