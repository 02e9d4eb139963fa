// What software costs a message: the sender, for each that it hands over, and both ends until it has arrived
// (docs/software.md has figures and the commands).
//
//   mpiexec -n 2 message_price
//
// Rounds of three kinds take turns; of each kind the fastest tenth counts, since whatever else the host does only adds.
#include <mpi.h>

#include <cstddef>
#include <cstdio>
#include <vector>

#include "bench/programs/timing.hpp"

namespace {

constexpr std::size_t longest = std::size_t{1} << 20;

struct Rounds {
    std::vector<double> post_s;    // handing over one of many sends
    std::vector<double> stream_s;  // one of many messages, until all have arrived
    std::vector<double> half_s;    // half of a ping-pong
};

/// Many messages of that size in a row, all receives posted before.
void stream(int rank, int bytes, std::vector<char>& memory, Rounds& rounds) {
    const int messages = bytes > 65536 ? 8 : 64;
    std::vector<MPI_Request> requests(static_cast<std::size_t>(messages));
    const auto room = [&](int i) { return memory.data() + static_cast<std::size_t>(i) * longest; };
    if (rank == 1) {
        for (int i = 0; i < messages; ++i) {
            MPI_Irecv(room(i), bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (rank == 0) {
        for (int i = 0; i < messages; ++i) {
            MPI_Isend(room(i), bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
        }
    }
    const double posted = MPI_Wtime();
    MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
    char done = 0;
    if (rank == 1) MPI_Send(&done, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) MPI_Recv(&done, 1, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    rounds.post_s.push_back((posted - begin) / messages);
    rounds.stream_s.push_back((MPI_Wtime() - begin) / messages);
}

void ping_pong(int rank, int bytes, std::vector<char>& memory, Rounds& rounds) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (const int sender : {0, 1}) {
        if (rank == sender) {
            MPI_Send(memory.data(), bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(memory.data(), bytes, MPI_BYTE, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    rounds.half_s.push_back((MPI_Wtime() - begin) / 2);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        if (rank == 0) std::fprintf(stderr, "run with two ranks: mpiexec -n 2 message_price\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    std::vector<char> memory(64 * longest);
    if (rank == 0) std::printf("bytes, a send posted, a message of a stream, half a ping-pong (us)\n");
    for (const int bytes : {1, 1024, 8192, 65536, 1048576}) {
        Rounds rounds;
        for (int round = 0; round < 200; ++round) {
            stream(rank, bytes, memory, rounds);
            ping_pong(rank, bytes, memory, rounds);
        }
        if (rank == 0) {
            std::printf("%d, %.2f, %.2f, %.2f\n", bytes, 1e6 * timing::lowest(rounds.post_s, 10),
                        1e6 * timing::lowest(rounds.stream_s, 10), 1e6 * timing::lowest(rounds.half_s, 10));
        }
    }
    MPI_Finalize();
    return 0;
}
