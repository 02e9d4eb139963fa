// Preloaded: an MPI_Bcast that gives rank 1 another byte in large messages than was sent.
#include <mpi.h>

extern "C" int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
    const int result = PMPI_Bcast(buffer, count, type, root, communicator);
    int rank = 0;
    PMPI_Comm_rank(communicator, &rank);
    if (rank == 1 && count > 60000) static_cast<char*>(buffer)[count / 2] ^= 1;
    return result;
}
