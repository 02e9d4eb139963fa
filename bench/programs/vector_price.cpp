// What it costs that a message does not lie in a row: broadcasts of a vector datatype, half of whose extent is gaps,
// and of as many bytes in a row, in turn.
//
//   mpiexec -n 2 env LD_PRELOAD=libbcast_SITE.so BCASTGEN_MACHINES=n0,n1 BCASTGEN_ALGORITHM=two-tree vector_price
//   mpiexec -n 2 vector_price                       the MPI's own
//
// A row for each size and length of the vector's blocks: lowest quarters at the slowest rank, microseconds, and the
// ratio. Every byte is checked and is another each time. Figures are in docs/performance.md.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/programs/timing.hpp"

namespace {

int rank = 0;

/// A buffer of `bytes` bytes of content, in blocks of `block` that are `distance` apart, as `count` elements of `type`.
struct Layout {
    MPI_Datatype type;
    int count;
    std::size_t block;
    std::size_t distance;
};

double time_us(std::vector<char>& memory, std::size_t bytes, const Layout& layout) {
    const auto byte_at = [&](std::size_t i) -> char& {
        return memory[i / layout.block * layout.distance + i % layout.block];
    };
    return 1e6 * timing::checked_s(bytes, byte_at,
                                   [&] { MPI_Bcast(memory.data(), layout.count, layout.type, 0, MPI_COMM_WORLD); });
}

void compare(int bytes, int block) {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_vector(bytes / block, block, 2 * block, MPI_BYTE, &vector);
    MPI_Type_commit(&vector);
    const auto size = static_cast<std::size_t>(bytes);
    const auto length = static_cast<std::size_t>(block);
    std::vector<char> row(size);
    std::vector<char> gaps(2 * size);
    std::vector<double> row_us;
    std::vector<double> gaps_us;
    for (int i = 0; i < 40; ++i) {
        row_us.push_back(time_us(row, size, {MPI_BYTE, bytes, length, length}));
        gaps_us.push_back(time_us(gaps, size, {vector, 1, length, 2 * length}));
    }
    MPI_Type_free(&vector);
    const double in_row = timing::lowest(row_us, 4);
    const double with_gaps = timing::lowest(gaps_us, 4);
    if (rank == 0) std::printf("%d,%d,%.1f,%.1f,%.2f\n", bytes, block, in_row, with_gaps, with_gaps / in_row);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::puts("message_bytes,block_bytes,row_us,vector_us,ratio");
    for (const int bytes : {1 << 16, 1 << 20, 1 << 22}) {
        for (const int block : {64, 1024, 8192}) compare(bytes, block);
    }
    MPI_Finalize();
    return 0;
}
