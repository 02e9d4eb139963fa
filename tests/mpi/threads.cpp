// MPI_THREAD_MULTIPLE: every thread broadcasts on a communicator of its own, all at once, set-up included.
#include <thread>

#include "checking.hpp"

namespace {

constexpr int threads = 4;

void broadcast_many(MPI_Comm comm, int thread, long* wrong) {
    auto seed = static_cast<std::uint64_t>(thread) << 40;
    for (int round = 0; round < 4; ++round) {
        for (const std::size_t bytes : {10, 300, 3000, 10000, 50000, 150000}) {
            const int root = (thread + round) % checking::ranks_in(comm);
            *wrong += checking::broadcast_bytes(comm, root, bytes, ++seed) ? 0 : 1;
        }
        MPI_Comm copy = MPI_COMM_NULL;  // made, set up and freed while other threads do the same
        MPI_Comm_dup(comm, &copy);
        *wrong += checking::broadcast_bytes(copy, 0, 2000, ++seed) ? 0 : 1;
        MPI_Comm_free(&copy);
    }
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    std::vector<MPI_Comm> comms(threads, MPI_COMM_NULL);
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<long> wrong(threads, 0);
    std::vector<std::thread> running;
    for (int thread = 0; thread < threads; ++thread) {
        const auto i = static_cast<std::size_t>(thread);
        running.emplace_back(broadcast_many, comms[i], thread, &wrong[i]);
    }
    for (std::thread& thread : running) thread.join();
    EXPECT(std::accumulate(wrong.begin(), wrong.end(), 0L) == 0);
    EXPECT(checking::trace().size() == threads * 4 * 7);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    return checking::finish();
}
