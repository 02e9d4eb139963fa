// Operations of the program that are under way on the same communicator while it broadcasts: receives from anyone with
// any tag, probes, and nonblocking collectives before, around and after. None may take what is not meant for it.
#include "checking.hpp"

namespace {

using checking::Content;

/// Receives that match anything are posted, then broadcasts, and only then the messages for the receives are sent.
void check_wildcard_receives(MPI_Comm comm, std::uint64_t seed) {
    const int rank = checking::rank_in(comm);
    const int ranks = checking::ranks_in(comm);
    constexpr std::size_t bytes = 100000;
    std::vector<char> received(bytes + 8, '\0');
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(received.data(), static_cast<int>(received.size()), MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm,
              &request);
    checking::broadcast_from_every_root(comm, seed);
    int arrived = 1;
    int found = 1;
    MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    EXPECT(arrived == 0 && found == 0);

    MPI_Barrier(comm);
    const Content content(seed + 7777);
    std::vector<char> sent(bytes);
    content.write(sent.data(), 0, bytes);
    MPI_Request sending = MPI_REQUEST_NULL;
    MPI_Isend(sent.data(), bytes, MPI_BYTE, (rank + 1) % ranks, 3, comm, &sending);
    checking::broadcast_from_every_root(comm, seed + 1000, {300, 40000});  // and with a send under way
    MPI_Status status;
    MPI_Wait(&request, &status);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT(status.MPI_TAG == 3 && status.MPI_SOURCE == (rank + ranks - 1) % ranks);
    EXPECT(count == static_cast<int>(bytes) && content.wrong(received.data(), 0, bytes) == 0);
}

/// Nonblocking collectives that start before a broadcast and end after it.
void check_pending_collectives(MPI_Comm comm, std::uint64_t seed) {
    const int rank = checking::rank_in(comm);
    const int ranks = checking::ranks_in(comm);
    for (const int bytes : {1, 700, 20000, 300000}) {
        const auto size = static_cast<std::size_t>(bytes);
        const Content first(++seed);
        const Content second(++seed);
        std::vector<char> one(size, '\0');
        std::vector<char> two(size, '\0');
        if (rank == 0) first.write(one.data(), 0, size);
        if (rank == ranks - 1) second.write(two.data(), 0, size);
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Ibcast(one.data(), bytes, MPI_BYTE, 0, comm, &requests[0]);
        EXPECT(checking::broadcast_bytes(comm, 1, size, ++seed));
        MPI_Ibarrier(comm, &requests[1]);
        EXPECT(checking::broadcast_bytes(comm, 0, size, ++seed));
        MPI_Ibcast(two.data(), bytes, MPI_BYTE, ranks - 1, comm, &requests[2]);
        EXPECT(checking::broadcast_bytes(comm, ranks - 1, size, ++seed));
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        EXPECT(first.wrong(one.data(), 0, size) == 0);
        EXPECT(second.wrong(two.data(), 0, size) == 0);
    }
}

/// Ranks enter and leave at very different times: consecutive broadcasts never mix.
void check_stragglers(MPI_Comm comm, std::uint64_t seed) {
    for (int round = 0; round < 6; ++round) {
        const double until = MPI_Wtime() + (checking::rank_in(comm) == round % checking::ranks_in(comm) ? 0.02 : 0.0);
        while (MPI_Wtime() < until) {
        }
        for (const std::size_t bytes : {300, 300, 5000, 60000, 300}) {
            EXPECT(checking::broadcast_bytes(comm, round % 2, bytes, ++seed));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm fresh = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
    check_wildcard_receives(MPI_COMM_WORLD, 1000);  // set-up happens under the pending receives
    check_pending_collectives(fresh, 5000);         // set-up happens under the pending collectives
    check_pending_collectives(MPI_COMM_WORLD, 6000);
    check_stragglers(MPI_COMM_WORLD, 7000);
    MPI_Comm_free(&fresh);
    return checking::finish();
}
