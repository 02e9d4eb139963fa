// What programs that time broadcasts have in common.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace timing {

/// What one in `part` of the values is below: of 10 the lowest tenth, of 4 the lowest quarter.
inline double lowest(std::vector<double> values, std::size_t part) {
    std::sort(values.begin(), values.end());
    return values[values.size() / part];
}

/// The number of a content that no broadcast before had.
inline unsigned next_content() {
    static unsigned number = 0;
    return ++number;
}

/// Seconds of one broadcast from rank 0 at its slowest rank. `byte_at(i)` is where byte i of its message lies. Each has
/// another content each time, and ends the job if it is wrong.
template <class ByteAt, class Broadcast>
double checked_s(std::size_t bytes, ByteAt byte_at, Broadcast broadcast) {
    const unsigned number = next_content();
    const auto content = [number](std::size_t i) { return static_cast<char>(i * 31 + i / 4096 + number); };
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (std::size_t i = 0; i < bytes; ++i) byte_at(i) = rank == 0 ? content(i) : static_cast<char>(~content(i));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    broadcast();
    double took = MPI_Wtime() - begin;
    for (std::size_t i = 0; i < bytes; ++i) {
        if (byte_at(i) != content(i)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

}  // namespace timing
