// Rank 1 comes so many seconds late to the first broadcast, and to a later one.
//
//     late_rank SECONDS
#include <chrono>
#include <thread>

#include "checking.hpp"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::chrono::seconds late(argc > 1 ? std::atoi(argv[1]) : 0);
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        if (checking::world_rank() == 1) std::this_thread::sleep_for(late);
        checking::broadcast_from_every_root(MPI_COMM_WORLD, 100 * seed, {3000, 70000});
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);  // all of its ranks are known to have the library
        if (checking::world_rank() == 1) std::this_thread::sleep_for(late);
        EXPECT(checking::broadcast_bytes(copy, 2, 5000, seed));
        MPI_Comm_free(&copy);
    }
    return checking::finish();
}
