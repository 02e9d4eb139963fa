// What the library's chains and pairs of trees reach of plain pipelined point-to-point messages: a broadcast by the
// library, and a chain of MPI_Irecv, MPI_Isend and MPI_Waitany by hand over the same ranks, in turn.
//
//   mpiexec -n 4 env LD_PRELOAD=libbcast_SITE.so BCASTGEN_MACHINES=n0,n1,n2,n3 BCASTGEN_ALGORITHM=linear chain_price
//   … chain_price 1048576 8192                      messages and segments of other sizes than 4 MiB and 64 KiB
//
// The library takes its segments from its table; BCASTGEN_SEGMENT=8192 sets them. Prints lowest quarters at the slowest
// rank, microseconds, and what the library reaches of the chain by hand: CSV. Every byte is checked and is another each
// time. Figures are in docs/performance.md.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "bench/programs/timing.hpp"

namespace {

int rank = 0;
int ranks = 1;

/// Hands a message from rank to rank, with up to four receives posted and two sends under way.
void chain(std::vector<char>& message, int segment_bytes) {
    constexpr std::size_t ahead = 4;
    constexpr std::size_t window = 2;
    const int bytes = static_cast<int>(message.size());
    const int segments = (bytes + segment_bytes - 1) / segment_bytes;
    const bool receives = rank > 0;
    const bool sends = rank + 1 < ranks;
    std::array<MPI_Request, window + ahead> requests;  // sends first: MPI_Waitany tells the first that has ended
    requests.fill(MPI_REQUEST_NULL);
    const auto send_of = [&](int segment) -> MPI_Request& {
        return requests[static_cast<std::size_t>(segment) % window];
    };
    const auto receive_of = [&](int segment) -> MPI_Request& {
        return requests[window + static_cast<std::size_t>(segment) % ahead];
    };
    const auto length = [&](int segment) { return std::min(segment_bytes, bytes - segment * segment_bytes); };
    const auto at = [&](int segment) { return message.data() + static_cast<std::ptrdiff_t>(segment) * segment_bytes; };
    int posted = 0;
    int here = receives ? 0 : segments;
    int started = 0;
    int sent = sends ? 0 : segments;
    while (here < segments || sent < segments) {
        for (; receives && posted < segments && posted < here + static_cast<int>(ahead); ++posted) {
            MPI_Irecv(at(posted), length(posted), MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, &receive_of(posted));
        }
        for (; sends && started < here && started < sent + static_cast<int>(window); ++started) {
            MPI_Isend(at(started), length(started), MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD, &send_of(started));
        }
        int index = 0;
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
        // Messages to and from one rank end in turn, but may be told of in another: a prefix counts.
        while (sends && sent < started && send_of(sent) == MPI_REQUEST_NULL) ++sent;
        while (receives && here < posted && receive_of(here) == MPI_REQUEST_NULL) ++here;
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::vector<char> message(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : std::size_t{4} << 20);
    const int segment_bytes = argc > 2 ? std::atoi(argv[2]) : 65536;
    const auto byte_at = [&](std::size_t i) -> char& { return message[i]; };
    std::vector<double> library_us;
    std::vector<double> chain_us;
    constexpr int times = 60;
    for (int i = 0; i < times; ++i) {
        library_us.push_back(1e6 * timing::checked_s(message.size(), byte_at, [&] {
                                 MPI_Bcast(message.data(), static_cast<int>(message.size()), MPI_BYTE, 0,
                                           MPI_COMM_WORLD);
                             }));
        chain_us.push_back(1e6 * timing::checked_s(message.size(), byte_at, [&] { chain(message, segment_bytes); }));
    }
    const double by_library = timing::lowest(library_us, 4);
    const double by_hand = timing::lowest(chain_us, 4);
    if (rank == 0) {
        std::puts("ranks,message_bytes,segment_bytes,library_us,chain_us,reached");
        std::printf("%d,%zu,%d,%.0f,%.0f,%.2f\n", ranks, message.size(), segment_bytes, by_library, by_hand,
                    by_hand / by_library);
    }
    MPI_Finalize();
    return 0;
}
