// What the first broadcast of 1 KiB on a fresh communicator takes, and what its steps take alone: for simulated
// clusters, with the emitted library compiled in (figures and the commands are in docs/performance.md).
//
// The time of a step is that of the slowest rank after a barrier. Prints a line for each.
#include <mpi.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int bytes = 1024;
constexpr int record_bytes = 16;  // of a rank in the set-up's allgather

template <class Step>
void measure(const char* name, Step step) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    step();
    double took = MPI_Wtime() - begin;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    constexpr double us = 1e6;
    if (rank == 0) std::printf("%-40s %10.1f us\n", name, took * us);
}

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<char> message(bytes);
    std::vector<char> records(static_cast<std::size_t>(ranks) * record_bytes);
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    PMPI_Bcast(message.data(), bytes, MPI_BYTE, 0, fresh);  // SimGrid sets its own communicators up in their first one

    measure("native broadcast", [&] { PMPI_Bcast(message.data(), bytes, MPI_BYTE, 0, fresh); });
    measure("first broadcast through the library", [&] { MPI_Bcast(message.data(), bytes, MPI_BYTE, 0, fresh); });
    measure("second", [&] { MPI_Bcast(message.data(), bytes, MPI_BYTE, 0, fresh); });
    measure("allgather of 16 bytes a rank", [&] {
        MPI_Allgather(message.data(), record_bytes, MPI_BYTE, records.data(), record_bytes, MPI_BYTE, MPI_COMM_WORLD);
    });
    measure("allreduce of a number", [&] {
        int all = 0;
        MPI_Allreduce(&ranks, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    });
    measure("communicator of the same group", [&] {
        MPI_Group group{};
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Comm made = MPI_COMM_NULL;
        MPI_Comm_create(MPI_COMM_WORLD, group, &made);
        MPI_Group_free(&group);
        MPI_Comm_free(&made);
    });
    MPI_Comm_free(&fresh);
    MPI_Finalize();
    return 0;
}
