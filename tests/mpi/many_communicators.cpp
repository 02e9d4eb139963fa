// Programs that make and free communicators by the thousand, or keep hundreds: memory stays bounded, the MPI's contexts
// do not run out, and only so many private communicators are alive.
//
//     many_communicators [short-lived communicators]
#include "checking.hpp"

namespace {

constexpr long most_private = 256;

long resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    long total = 0;
    long resident = 0;
    statm >> total >> resident;
    return resident * 4096;
}

bool broadcast(MPI_Comm comm, std::size_t bytes) {
    static std::uint64_t seed = 0;
    ++seed;
    return checking::broadcast_bytes(comm, static_cast<int>(seed) % checking::ranks_in(comm), bytes, seed);
}

void check_short_lived(int number) {
    long at_first = 0;
    for (int i = 0; i < number; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(broadcast(comm, 600));
        MPI_Comm_free(&comm);
        if (i == number / 5) at_first = resident_bytes();
    }
    const long grown = resident_bytes() - at_first;
    EXPECT(grown < 2000L * number);  // a lost communicator of ours would be some 5 kB, and MPI's own more
    if (checking::world_rank() == 0) std::printf("%d communicators: grown by %ld bytes\n", number, grown);
}

/// `alive` communicators at once, each used twice with messages of `bytes`; `served` of them by planned algorithms.
void check_alive(int alive, std::size_t bytes, long served) {
    const std::size_t traced = checking::trace().size();
    std::vector<MPI_Comm> comms(static_cast<std::size_t>(alive), MPI_COMM_NULL);
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (MPI_Comm comm : comms) EXPECT(broadcast(comm, bytes));
    for (MPI_Comm comm : comms) EXPECT(broadcast(comm, bytes));
    EXPECT(checking::served_since(traced) == 2 * served);
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check_alive(400, 600, most_private);
    check_alive(100, 600, 100);                               // those freed are free again
    check_alive(1500, 10, 0);                                 // small messages stay native and cost no context
    check_short_lived(argc > 1 ? std::atoi(argv[1]) : 2300);  // MPICH has 2046 contexts
    check_alive(300, 600, most_private);
    return checking::finish();
}
