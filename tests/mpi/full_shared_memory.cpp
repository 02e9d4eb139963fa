// Broadcasts where the system has no shared memory left when the library asks for some: they go another way, every byte
// right. Fills /dev/shm, which must be this job's own (run_mpi.py --own-shared-memory).
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "checking.hpp"

namespace {

const char* const filler = "/dev/shm/bcastgen-filler";

/// Leaves a little, less than a window takes: Open MPI ends the job where there is none at all for its own messages.
bool fill_shared_memory() {
    const int file = open(filler, O_CREAT | O_WRONLY | O_EXCL, 0600);
    if (file < 0) return false;
    const std::vector<char> page(4096, 'x');
    long pages = 0;
    while (write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size())) {
        if (++pages > (256 << 8)) return false;  // more than this job's own can be
    }
    constexpr off_t left_bytes = 160 << 10;
    const bool is_large = pages * 4096 > left_bytes && ftruncate(file, pages * 4096 - left_bytes) == 0;
    close(file);
    return is_large;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    // What the MPI itself needs of it, it has before.
    std::vector<char> all(static_cast<std::size_t>(checking::ranks_in(MPI_COMM_WORLD)) * 100000);
    std::vector<char> others(all.size());
    for (const int bytes : {1, 5000, 100000}) {
        MPI_Alltoall(all.data(), bytes, MPI_BYTE, others.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    MPI_Comm apart = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, checking::world_rank(), &apart);
    MPI_Barrier(apart);
    if (checking::world_rank() == 0) EXPECT(fill_shared_memory());
    MPI_Barrier(apart);
    std::uint64_t seed = 0;
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{5000}, std::size_t{300000}}) {
        for (int root = 0; root < checking::ranks_in(apart); ++root) {
            EXPECT(checking::broadcast_bytes(apart, root, bytes, ++seed));
            EXPECT(checking::broadcast_bytes(MPI_COMM_WORLD, root, bytes, ++seed));
        }
    }
    if (checking::world_rank() == 0) unlink(filler);
    MPI_Comm_free(&apart);
    return checking::finish();
}
