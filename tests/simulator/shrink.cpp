#include "shrink.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <functional>

#include "scenario.hpp"

namespace simulator {

namespace {

constexpr unsigned longest_s = 60;
constexpr std::uint64_t other_turns = 8;  // a smaller job may fail under another sequence of turns only

/// True if the job fails when it is reduced so; sets the turns under which it does.
bool fails(std::uint64_t seed, Reduction& reduction) {
    const std::uint64_t before = reduction.turns;
    for (std::uint64_t turns = before; turns < before + other_turns; ++turns) {
        reduction.turns = turns;
        if (!run_apart(seed, reduction).empty()) return true;
    }
    reduction.turns = before;
    return false;
}

bool try_change(std::uint64_t seed, Reduction& best, const std::function<void(Reduction&)>& change) {
    Reduction candidate = best;
    change(candidate);
    if (candidate.words() == best.words() || !fails(seed, candidate)) return false;
    best = candidate;
    return true;
}

void drop_broadcasts(std::uint64_t seed, Reduction& best) {
    if (best.broadcasts.empty()) {
        for (const BroadcastPlan& broadcast : Plan(seed, best).broadcasts) best.broadcasts.push_back(broadcast.number);
    }
    for (std::size_t chunk = best.broadcasts.size() / 2; chunk > 0; chunk /= 2) {
        for (std::size_t at = 0; at < best.broadcasts.size() && best.broadcasts.size() > chunk;) {
            const bool dropped = try_change(seed, best, [&](Reduction& less) {
                const auto first = less.broadcasts.begin() + static_cast<std::ptrdiff_t>(at);
                const auto left = static_cast<std::ptrdiff_t>(std::min(chunk, less.broadcasts.size() - at));
                less.broadcasts.erase(first, first + left);
            });
            if (!dropped) at += chunk;
        }
    }
}

}  // namespace

std::string run_apart(std::uint64_t seed, const Reduction& reduction) {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(3);
        alarm(longest_s);
        Counts counts;
        const std::string failure = run(Plan(seed, reduction), counts);
        const ssize_t written = write(ends[1], failure.data(), failure.size());
        _exit(written < 0 ? 3 : 0);
    }
    close(ends[1]);
    std::string failure;
    char buffer[4096];
    for (ssize_t got = read(ends[0], buffer, sizeof buffer); got > 0; got = read(ends[0], buffer, sizeof buffer)) {
        failure.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        return WTERMSIG(status) == SIGALRM ? "the job does not end" : "the job crashes";
    }
    if (failure.empty() && WEXITSTATUS(status) != 0) return "the job crashes";  // as sanitizers end it
    return failure;
}

Reduction shrink(std::uint64_t seed, const Reduction& start) {
    Reduction best = start;
    drop_broadcasts(seed, best);
    const int ranks = static_cast<int>(Plan(seed, best).ranks.size());
    for (int most = 2; most < ranks; most += most < 8 ? 1 : 4) {
        if (try_change(seed, best, [most](Reduction& less) { less.most_ranks = most; })) break;
    }
    try_change(seed, best, [](Reduction& less) { less.plain_types = true; });
    try_change(seed, best, [](Reduction& less) { less.no_delays = true; });
    try_change(seed, best, [](Reduction& less) { less.even_network = true; });
    for (const std::size_t most : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 100U, 256U, 1000U, 4096U, 20000U}) {
        if (try_change(seed, best, [most](Reduction& less) { less.most_bytes = most; })) break;
    }
    drop_broadcasts(seed, best);
    return best;
}

std::string replay_command(std::uint64_t seed, const Reduction& reduction) {
    const std::string words = reduction.words();
    return "tests/simulate --replay " + std::to_string(seed) + (words.empty() ? "" : " --reduced " + words);
}

}  // namespace simulator
