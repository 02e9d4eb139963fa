// What the emitted library costs where it does not help: a message that stays native, and the set-up of communicators.
// Run under the library's preload (figures and the command are in docs/performance.md):
//
//   mpiexec -n RANKS native_price        BCASTGEN_MACHINES puts the ranks on machines of the site
//
// MPI_Bcast goes through the library and PMPI_Bcast does not; blocks of calls to both take turns, so that noise hits
// both alike, and the fastest tenth of the blocks counts.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "bench/programs/timing.hpp"

namespace {

using Broadcast = int (*)(void*, int, MPI_Datatype, int, MPI_Comm);

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds per call of a one-byte broadcast, over a block of calls; at all ranks together.
double block_s(Broadcast broadcast, int calls) {
    char byte = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = now_s();
    for (int i = 0; i < calls; ++i) broadcast(&byte, 1, MPI_BYTE, 0, MPI_COMM_WORLD);
    double took = now_s() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took / calls;
}

void measure_calls(int rank) {
    constexpr int blocks = 400;
    constexpr int calls = 500;
    std::vector<double> with;
    std::vector<double> without;
    for (int block = 0; block < blocks; ++block) {
        with.push_back(block_s(MPI_Bcast, calls));
        without.push_back(block_s(PMPI_Bcast, calls));
    }
    const double through_s = timing::lowest(with, 10);
    const double native_s = timing::lowest(without, 10);
    if (rank == 0) {
        std::printf("one byte: %.0f ns through the library, %.0f ns native: %.0f ns added\n", through_s * 1e9,
                    native_s * 1e9, (through_s - native_s) * 1e9);
    }
}

/// Seconds that the first broadcast of `bytes` bytes on a fresh communicator takes, at the slowest rank.
double first_s(Broadcast broadcast, int bytes) {
    std::vector<char> buffer(static_cast<std::size_t>(bytes));
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Barrier(comm);
    const double begin = now_s();
    broadcast(buffer.data(), bytes, MPI_BYTE, 0, comm);
    double took = now_s() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    return took;
}

void measure_set_up(int rank, int bytes, const char* what) {
    constexpr int communicators = 200;
    std::vector<double> with;
    std::vector<double> without;
    for (int i = 0; i < communicators; ++i) {
        with.push_back(first_s(MPI_Bcast, bytes));
        without.push_back(first_s(PMPI_Bcast, bytes));
    }
    if (rank != 0) return;
    std::sort(with.begin(), with.end());
    std::sort(without.begin(), without.end());
    std::printf("first broadcast of %d bytes (%s): %.1f us (low decile), %.1f us (median); native %.1f, %.1f us\n",
                bytes, what, with[communicators / 10] * 1e6, with[communicators / 2] * 1e6,
                without[communicators / 10] * 1e6, without[communicators / 2] * 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_calls(rank);
    measure_set_up(rank, 1, "set-up, then native");
    measure_set_up(rank, 4096, "set-up, private communicator, tree");
    MPI_Finalize();
    return 0;
}
