// The end of MPI: communicators left alive, and broadcasts in callbacks that MPI_Finalize itself calls, before and
// after ours.
#include "checking.hpp"

namespace {

MPI_Comm kept = MPI_COMM_NULL;
int callbacks = 0;

int broadcast_at_the_end(MPI_Comm, int, void*, void*) {
    ++callbacks;
    const auto seed = static_cast<std::uint64_t>(callbacks) << 30;
    checking::broadcast_from_every_root(MPI_COMM_WORLD, seed);
    checking::broadcast_from_every_root(kept, seed + 5000);
    return MPI_SUCCESS;
}

/// MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the last one set before the others.
void broadcast_when_finalizing() {
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, broadcast_at_the_end, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
    MPI_Comm_free_keyval(&keyval);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &kept);
    broadcast_when_finalizing();  // its attribute is older than ours: it comes after our end
    std::vector<MPI_Comm> alive(20, MPI_COMM_NULL);
    for (MPI_Comm& comm : alive) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(checking::broadcast_bytes(comm, 1, 5000, 17));
    }
    checking::broadcast_from_every_root(kept, 100);
    broadcast_when_finalizing();  // younger than ours: it comes before our end
    const int sub = checking::world_rank() % 2;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, sub, 0, &half);
    checking::broadcast_from_every_root(half, 9000);
    MPI_Finalize();
    EXPECT(callbacks == 2);
    return checking::failures == 0 ? 0 : 1;
}
