#include "tuner/program/clock.hpp"

#include <sched.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

#include "bcast/mpi/mpi_library.hpp"

namespace bcastgen {

namespace {

constexpr int exchanges = 24;
constexpr double keeps_aligned_s = 20;   // clocks drift by some microseconds a second
constexpr double naps_above_s = 200e-6;  // shorter waits are spent polling, since sleeping overshoots
constexpr int tag = 1;

#if BCAST_LATE_BINDING

double own_clock_s() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Ranks under one kernel read the same clock.
bool one_kernel() {
    std::array<char, 64> mine{};
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "r")) {
        if (std::fgets(mine.data(), mine.size(), file) == nullptr) mine[0] = '\0';
        std::fclose(file);
    }
    std::array<char, 64> first = mine;
    PMPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    int same = mine == first && mine[0] != '\0' ? 1 : 0;
    int all = 0;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all == 1;
}

#else

double own_clock_s() {
    return MPI_Wtime();
}

bool one_kernel() {
    return true;
}

#endif

void sleep_s(double seconds) {
    const auto whole = static_cast<time_t>(seconds);
    timespec rest{};
    rest.tv_sec = whole;
    rest.tv_nsec = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9);
    nanosleep(&rest, nullptr);
}

}  // namespace

AlignedClock::AlignedClock() : shared_(one_kernel()) {
    if (!shared_) align();
}

double AlignedClock::now_s() const {
    return own_clock_s() + offset_s_;
}

void AlignedClock::wait_until(double time_s) const {
#if BCAST_LATE_BINDING
    if (const double rest = time_s - now_s(); rest > naps_above_s) sleep_s(rest - naps_above_s / 2);
    while (now_s() < time_s) sched_yield();
#else
    while (now_s() < time_s) sleep_s(std::max(time_s - now_s(), 2e-9));
#endif
}

void AlignedClock::keep_aligned() {
    if (shared_) return;
    double now = now_s();  // rank 0's decides
    PMPI_Bcast(&now, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (now - aligned_at_s_ > keeps_aligned_s) align();
}

void AlignedClock::align() {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double widest_s = 0;
    for (int other = 1; other < ranks; ++other) {
        if (rank != 0 && rank != other) continue;
        double quickest_s = std::numeric_limits<double>::max();
        for (int exchange = 0; exchange < exchanges; ++exchange) {
            double theirs = 0;
            if (rank == 0) {
                const double sent = own_clock_s();
                MPI_Send(nullptr, 0, MPI_BYTE, other, tag, MPI_COMM_WORLD);
                MPI_Recv(&theirs, 1, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                const double back = own_clock_s();
                double best[2] = {(sent + back) / 2, back - sent};
                MPI_Send(best, 2, MPI_DOUBLE, other, tag, MPI_COMM_WORLD);
                quickest_s = std::min(quickest_s, back - sent);
            } else {
                MPI_Recv(nullptr, 0, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                theirs = own_clock_s();
                MPI_Send(&theirs, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
                double middle[2] = {};
                MPI_Recv(middle, 2, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                if (middle[1] < quickest_s) {
                    quickest_s = middle[1];
                    offset_s_ = middle[0] - theirs;
                }
            }
        }
        widest_s = std::max(widest_s, quickest_s);
    }
    double bounds[2] = {widest_s, rank == 0 ? own_clock_s() : 0};
    PMPI_Bcast(bounds, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    error_s_ = bounds[0];  // half of it towards rank 0, for each of two ranks
    aligned_at_s_ = bounds[1];
}

}  // namespace bcastgen
