// When each rank of a simulated program is in MPI_Bcast, for bench/scripts/timeline.py. The program is compiled with
// -DMPI_Bcast=spanned_broadcast, and this without it. A line for each: span RANK ENTERED LEFT, in simulated seconds.
#include <mpi.h>

#include <cstdio>

extern "C" int spanned_broadcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double entered = MPI_Wtime();
    const int error = MPI_Bcast(buffer, count, type, root, communicator);
    std::printf("span %d %.9f %.9f\n", rank, entered, MPI_Wtime());
    return error;
}
