// The measuring program: runs broadcasts one after the other in one MPI job and tells how long each took.
//
//   mpiexec … measure PLAN
//
// It is compiled together with the emitted library's own sources, so that every algorithm can be run in the same job,
// in random order: what disturbs a cluster then disturbs all of them alike, and their ratios hold.
//
// stdout, from rank 0 alone, is for the tool that started it:
//   mpi VERSION                                       in the MPI's own words
//   warm-up                                           a repetition that is not counted has ended: a sign of life
//   clock ERROR_US                                    how well the ranks' clocks are aligned
//   begin ALGORITHM SEGMENT_BYTES MESSAGE_BYTES       a broadcast begins (if nothing follows, it hangs)
//   sample CASE COMPLETION_US MEAN_US WORST_US OSU_US SEGMENT_BYTES OK
//     COMPLETION  the last rank's exit minus the root's entry
//     MEAN WORST  of the ranks' own times in the call, exit minus entry (average and worst case per node time of
//                 "Process arrival patterns")
//     OSU         MEAN under the name by which OSU's osu_bcast prints the ranks' average; always equal to it, since
//                 each repetition is timed by itself
//     OK          1 if every rank found every byte as it should be
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/program/case.hpp"
#include "tuner/program/clock.hpp"
#include "tuner/program/content.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/program/plan.hpp"
#include "tuner/program/random.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t guard_bytes = 64;  // behind the message, to see that nothing is written there
constexpr char guard = 0x5a;

// A repetition counts if every rank entered on time: no later than this, absolutely or as a fraction of its time.
constexpr double late_s = 20e-6;
constexpr double late_fraction = 0.05;
constexpr int most_attempts = 3;  // on a busy host somebody is always late

// From the agreement on a start to the start.
constexpr double least_margin_s = 200e-6;
constexpr double most_margin_s = 50e-3;

/// A rank's part of a sample, as it is gathered.
struct Visit {
    double entry_s = 0;
    double exit_s = 0;
    double ok = 1;
    double takes_part = 1;
};

struct Sample {
    double completion_s = 0;
    double mean_s = 0;
    double worst_s = 0;
    double osu_s = 0;
    bool ok = true;
};

class Measurement {
  public:
    explicit Measurement(const MeasurePlan& plan) : plan_(plan), cases_(plan) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
        std::size_t largest = 0;
        for (const MeasureCase& one : plan.cases) largest = std::max(largest, one.message_bytes);
        memory_.assign(largest + guard_bytes, 0);
        visits_.resize(static_cast<std::size_t>(rank_ == 0 ? ranks_ : 0));
    }

    [[nodiscard]] const std::string& problem() const { return cases_.problem(); }

    void run() {
        if (rank_ == 0) say_version();
        warm_up();
        if (rank_ == 0) std::printf("clock %.3f\n", 1e6 * clock_.error_s());
        std::vector<std::size_t> sequence;
        for (std::size_t at = 0; at < plan_.cases.size(); ++at) {
            sequence.insert(sequence.end(), static_cast<std::size_t>(repetitions_of(plan_, at)), at);
        }
        shuffle(sequence, Random(plan_.seed));
        std::vector<int> repetition(plan_.cases.size(), 0);
        for (const std::size_t at : sequence) {
            clock_.keep_aligned();
            const Sample sample = take(plan_.cases[at], repetition[at]++, delay_unit_s(plan_.cases[at]));
            if (rank_ == 0) print(at, sample);
        }
    }

  private:
    /// Has connections made and memory touched; measures T(m) where delays are multiples of it.
    void warm_up() {
        // First calls set things up, also where nothing else warms up. `tuned` does so for each of the algorithms that
        // it takes.
        std::map<std::pair<std::string, std::string>, MeasureCase> smallest;
        for (const MeasureCase& one : plan_.cases) {
            const auto found = smallest.emplace(std::pair{one.algorithm, cases_.way(one).algorithm}, one).first;
            if (one.message_bytes < found->second.message_bytes) found->second = one;
        }
        const auto warm_up_with = [&](const MeasureCase& one) {
            const Sample sample = take(one, -1, 0);
            if (rank_ == 0) say_alive();
            return sample.completion_s;
        };
        for (const auto& [algorithms, one] : smallest) {
            if (const std::optional<MeasureCase> call = cases_.first_call(one)) warm_up_with(*call);
        }
        for (int round = 0; round < plan_.warm_ups; ++round) {
            for (const MeasureCase& one : plan_.cases) warm_up_with(one);
        }
        if (plan_.arrival.kind == ArrivalPattern::Kind::balanced) return;
        for (const MeasureCase& one : plan_.cases) {
            if (is_ping_pong(one.algorithm) || one_message_s_.count(one.message_bytes) != 0) continue;
            std::vector<double> times;
            const MeasureCase ping_pong{measured::ping_pong, 0, one.message_bytes};
            for (int round = 0; round < 5; ++round) times.push_back(warm_up_with(ping_pong));
            std::sort(times.begin(), times.end());
            PMPI_Bcast(&times[2], 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
            one_message_s_[one.message_bytes] = times[2];
        }
    }

    /// T(m) of the case's message; 0 if nobody is ever late.
    [[nodiscard]] double delay_unit_s(const MeasureCase& one) const {
        const auto found = one_message_s_.find(one.message_bytes);
        return found == one_message_s_.end() ? 0 : found->second;
    }

    /// How long after the others this rank enters: the same for all algorithms of one size and repetition.
    [[nodiscard]] double delay_s(const MeasureCase& one, int repetition, double unit_s) const {
        const ArrivalPattern& arrival = plan_.arrival;
        if (rank_ == plan_.root || unit_s == 0 || is_of_pair(one.algorithm)) return 0;
        Random random(plan_.seed + 1);
        for (const std::uint64_t word : {static_cast<std::uint64_t>(one.message_bytes),
                                         static_cast<std::uint64_t>(repetition), static_cast<std::uint64_t>(rank_)}) {
            random = Random(random.next() ^ word);
        }
        if (arrival.kind == ArrivalPattern::Kind::random) return random.fraction() * arrival.most_if * unit_s;
        return random.fraction() < arrival.late_fraction ? arrival.most_if * unit_s : 0;
    }

    /// One broadcast. The result is rank 0's; it is taken again if a rank was held up and entered late.
    Sample take(const MeasureCase& one, int repetition, double unit_s) {
        if (rank_ == 0) {
            std::printf("begin %s %zu %zu\n", one.algorithm.c_str(), one.segment_bytes, one.message_bytes);
            std::fflush(stdout);
        }
        Visit visit;
        for (int attempt = 1; attempt <= most_attempts; ++attempt) {
            const Content content(static_cast<std::uint64_t>(++contents_) + (plan_.seed << 32));
            prepare(one, content);
            const Missed missed = visit_once(one, delay_s(one, repetition, unit_s), visit);
            visit.ok = !cases_.takes_part(one) || found(one, content) ? 1 : 0;
            double worst[3] = {missed.agreement_s, missed.entry_s, visit.exit_s - visit.entry_s};
            double all[3] = {};
            MPI_Allreduce(worst, all, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            // The message about the start took longer than there was time for: leave more.
            margin_s_ = all[0] > 0 ? std::min(2 * margin_s_, most_margin_s) : std::max(0.9 * margin_s_, least_margin_s);
            if (all[1] <= std::max(late_s, late_fraction * all[2])) break;
        }
        MPI_Gather(&visit, 4, MPI_DOUBLE, visits_.data(), 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        return rank_ == 0 ? sample_of(one) : Sample{};
    }

    void prepare(const MeasureCase& one, const Content& content) {
        if (cases_.has_message(one)) content.write(memory_.data(), one.message_bytes);
        std::fill_n(memory_.begin() + static_cast<std::ptrdiff_t>(one.message_bytes), guard_bytes, guard);
    }

    [[nodiscard]] bool found(const MeasureCase& one, const Content& content) const {
        const auto end = memory_.begin() + static_cast<std::ptrdiff_t>(one.message_bytes);
        return content.matches(memory_.data(), one.message_bytes) &&
               std::all_of(end, end + guard_bytes, [](char c) { return c == guard; });
    }

    /// By how much a rank was late: when it heard of the start, and when it entered the broadcast.
    struct Missed {
        double agreement_s = 0;
        double entry_s = 0;
    };

    /// Agrees with all ranks on a moment, waits for it (and `delay_s` longer) and broadcasts.
    Missed visit_once(const MeasureCase& one, double delay_s, Visit& visit) {
        const double ready = clock_.now_s();
        double start = 0;
        MPI_Allreduce(&ready, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        start += margin_s_ + delay_s;
        cases_.select(one);
        Missed missed;
        missed.agreement_s = clock_.now_s() - start;
        clock_.wait_until(start);
        visit.entry_s = missed.entry_s = clock_.now_s();
        visit.takes_part = cases_.takes_part(one) ? 1 : 0;
        if (cases_.takes_part(one)) cases_.run(one, memory_.data());
        visit.exit_s = clock_.now_s();
        missed.entry_s -= start;
        return missed;
    }

    [[nodiscard]] Sample sample_of(const MeasureCase& one) const {
        Sample sample;
        double last_exit_s = 0;
        double taking_part = 0;
        for (const Visit& visit : visits_) {
            sample.ok = sample.ok && visit.ok == 1;
            if (visit.takes_part == 0) continue;
            const double own_s = (visit.exit_s - visit.entry_s) / Cases::halves(one);
            taking_part += 1;
            last_exit_s = std::max(last_exit_s, visit.exit_s);
            sample.mean_s += own_s;
            sample.worst_s = std::max(sample.worst_s, own_s);
        }
        const Visit& root = visits_[static_cast<std::size_t>(plan_.root)];
        // Each way of a ping-pong takes half of what the root, who begins and ends it, sees of it.
        const double end_s = is_ping_pong(one.algorithm) ? root.exit_s : last_exit_s;
        sample.completion_s = (end_s - root.entry_s) / Cases::halves(one);
        sample.mean_s /= taking_part;
        sample.osu_s = sample.mean_s;
        return sample;
    }

    static void say_version() {
        char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
        int length = 0;
        MPI_Get_library_version(version, &length);
        for (int i = 0; i < length; ++i) {
            if (version[i] == '\n') version[i] = ' ';
        }
        std::printf("mpi %.*s\n", length, version);
        std::fflush(stdout);
    }

    static void say_alive() {
        std::printf("warm-up\n");
        std::fflush(stdout);
    }

    void print(std::size_t at, const Sample& sample) const {
        std::printf("sample %zu %.3f %.3f %.3f %.3f %zu %d\n", at, 1e6 * sample.completion_s, 1e6 * sample.mean_s,
                    1e6 * sample.worst_s, 1e6 * sample.osu_s, cases_.way(plan_.cases[at]).segment_bytes,
                    sample.ok ? 1 : 0);
        std::fflush(stdout);
    }

    const MeasurePlan& plan_;
    Cases cases_;
    AlignedClock clock_;
    int rank_ = 0;
    int ranks_ = 0;
    long contents_ = 0;
    double margin_s_ = 500e-6;
    std::vector<char> memory_;
    std::vector<Visit> visits_;  ///< at rank 0
    std::map<std::size_t, double> one_message_s_;
};

/// Rank 0 reads the plan, since the others may not see its disk.
bool read_plan(const char* file, MeasurePlan& plan) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string text;
    if (rank == 0) {
        std::ifstream in(file, std::ios::binary);
        text.assign(std::istreambuf_iterator<char>(in), {});
    }
    int bytes = static_cast<int>(text.size());
    PMPI_Bcast(&bytes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    text.resize(static_cast<std::size_t>(bytes));
    PMPI_Bcast(text.data(), bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    return read_measure_plan(text, plan);
}

int measure(const char* file) {
    MeasurePlan plan;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!read_plan(file, plan)) {
        if (rank == 0) std::fprintf(stderr, "measure: %s is not a plan\n", file);
        return 2;
    }
    Measurement measurement(plan);
    if (!measurement.problem().empty()) {
        if (rank == 0) std::fprintf(stderr, "measure: %s\n", measurement.problem().c_str());
        return 2;
    }
    measurement.run();
    return 0;
}

}  // namespace

}  // namespace bcastgen

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int code = argc == 2 ? bcastgen::measure(argv[1]) : 2;
    MPI_Finalize();
    return code;
}
