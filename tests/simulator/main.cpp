// tests/simulate: as many broadcasts as wanted, on all cores.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "options.hpp"
#include "scenario.hpp"
#include "shrink.hpp"

namespace simulator {

namespace {

/// What the processes of a run share.
struct Board {
    std::atomic<std::uint64_t> next_job;  // counted from the first
    std::atomic<std::uint64_t> broadcasts;
    std::atomic<bool> failed;
    struct PerProcess {
        Counts counts;
        std::uint64_t seed;  // of the job that it runs or, at a failure, ran
        bool failed;
    };
    PerProcess processes[256];
};

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Some jobs. Ranks that never end keep their memory, so a process does not run them all.
void work(Board& board, std::size_t process, const Options& options) {
    constexpr int most_jobs = 2000;
    Board::PerProcess& mine = board.processes[process];
    for (int job = 0; job < most_jobs && !board.failed && board.broadcasts < options.broadcasts; ++job) {
        mine.seed = options.seed + board.next_job++;
        const std::uint64_t before = mine.counts.broadcasts;
        if (!run(Plan(mine.seed, options.reduction), mine.counts).empty()) {
            mine.failed = true;
            board.failed = true;
            _exit(1);
        }
        board.broadcasts += mine.counts.broadcasts - before;
    }
    std::exit(0);  // not _exit: leaks are looked for
}

void show_progress(const Board& board, const Options& options, Clock::time_point begin) {
    const double took_s = seconds_since(begin);
    const auto done = static_cast<double>(board.broadcasts);
    const auto wanted = static_cast<double>(options.broadcasts);
    const double left_s = done > 0 ? took_s * std::max(0.0, wanted - done) / done : 0;
    std::fprintf(stderr, "\r%5.1f %%  %.0f broadcasts, %.0f a second, %.0f s left   ",
                 std::min(100.0, 100 * done / wanted), done, done / std::max(took_s, 1e-9), left_s);
}

void print(const Counts& counts, double took_s) {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("%llu broadcasts of %llu bytes in %llu jobs, by %llu messages, in %.1f s: all well\n",
                number(counts.broadcasts), number(counts.bytes), number(counts.jobs), number(counts.messages), took_s);
    std::printf(
        "in jobs whose set-up goes wrong %llu, in jobs where something fails %llu (%llu faults; %llu jobs ended "
        "by a rank that could not go on), of lengths that differ %llu\n",
        number(counts.in_trouble), number(counts.with_faults), number(counts.faults), number(counts.aborted),
        number(counts.of_wrong_lengths));
    std::printf("by the MPI's own %llu; by choice:", number(counts.natively));
    for (std::size_t i = 0; i < counts.by_choice.size(); ++i) {
        if (counts.by_choice[i] > 0)
            std::printf(" %s %llu", bcast::algorithm_rows[i].name, number(counts.by_choice[i]));
    }
    std::printf("\n");
}

int show_failure(std::uint64_t seed, const Options& options) {
    Reduction reduction = options.reduction;
    std::printf("job %llu fails: %s\n", static_cast<unsigned long long>(seed), run_apart(seed, reduction).c_str());
    if (options.shrink) {
        std::fprintf(stderr, "making it smaller ...\n");
        reduction = shrink(seed, reduction);
        std::printf("\nthe least of it that fails: %s\n%s", run_apart(seed, reduction).c_str(),
                    Plan(seed, reduction).description().c_str());
    }
    std::printf("\nto see it again:  %s\n", replay_command(seed, reduction).c_str());
    return 1;
}

int replay(const Options& options) {
    const Plan plan(options.seed, options.reduction);
    std::printf("%s", plan.description().c_str());
    std::fflush(stdout);
    Counts counts;
    const std::string failure = run(plan, counts);
    std::printf("%s\n", failure.empty() ? "all well" : failure.c_str());
    return failure.empty() ? 0 : 1;
}

int run_all(const Options& options) {
    void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    Board& board = *new (memory) Board{};
    const Clock::time_point begin = Clock::now();
    const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t processes =
        std::clamp<std::size_t>(options.processes > 0 ? static_cast<std::size_t>(options.processes) : cores, 1, 256);
    const auto start = [&](std::size_t process) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) work(board, process, options);
        return child;
    };
    std::vector<pid_t> children;
    for (std::size_t process = 0; process < processes; ++process) children.push_back(start(process));
    std::size_t alive = children.size();
    bool failed = false;
    std::vector<char> ended(children.size(), 0);
    while (alive > 0) {
        for (std::size_t process = 0; process < children.size(); ++process) {
            int status = 0;
            if (ended[process] != 0 || waitpid(children[process], &status, WNOHANG) == 0) continue;
            const bool crashed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
            if (crashed) board.processes[process].failed = board.failed = failed = true;
            if (!board.failed && board.broadcasts < options.broadcasts) {
                children[process] = start(process);
                continue;
            }
            ended[process] = 1;
            --alive;
        }
        if (alive == 0) break;
        if (!options.quiet && isatty(STDERR_FILENO) != 0) show_progress(board, options, begin);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (!options.quiet && isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r%79s\r", "");
    Counts counts;
    for (std::size_t process = 0; process < processes; ++process) counts.add(board.processes[process].counts);
    if (!failed) {
        print(counts, seconds_since(begin));
        return 0;
    }
    std::printf("after %llu broadcasts ", static_cast<unsigned long long>(counts.broadcasts));
    for (std::size_t process = 0; process < processes; ++process) {
        if (board.processes[process].failed) return show_failure(board.processes[process].seed, options);
    }
    return 1;
}

}  // namespace

}  // namespace simulator

int main(int count, char** words) {
    simulator::Options options;
    if (!simulator::read_options(count, words, options)) return 2;
    if (options.help) {
        std::fputs(simulator::usage, stdout);
        return 0;
    }
    return options.replay ? simulator::replay(options) : simulator::run_all(options);
}
