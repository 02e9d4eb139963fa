// Communicators of every kind that a program can make: whatever its shape, every byte arrives, and attributes and error
// handlers that the program hung on it stay its own.
#include "checking.hpp"

namespace {

int copies_made = 0;
int values_deleted = 0;

int count_copy(MPI_Comm, int, void*, void* value, void* copy, int* flag) {
    ++copies_made;
    *static_cast<void**>(copy) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

int count_deletion(MPI_Comm, int, void*, void*) {
    ++values_deleted;
    return MPI_SUCCESS;
}

void check(MPI_Comm comm) {
    static std::uint64_t seed = 0;  // may differ between communicators, not within one: drawn from the trace of calls
    seed += 1000;
    if (comm == MPI_COMM_NULL) return;
    std::uint64_t same = seed;
    MPI_Allreduce(&seed, &same, 1, MPI_UINT64_T, MPI_MAX, comm);
    checking::broadcast_from_every_root(comm, same, {0, 1, 300, 3000, 10001, 40000, 100000});
}

void check_and_free(MPI_Comm comm) {
    check(comm);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

void check_splits() {
    const int rank = checking::world_rank();
    const int ranks = checking::ranks_in(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
    check_and_free(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 1 ? MPI_UNDEFINED : 7, (rank * 5) % ranks, &comm);
    check_and_free(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1 ? 1 : 0, 0, &comm);  // all but one, and one alone
    check(comm);
    MPI_Comm inner = MPI_COMM_NULL;
    MPI_Comm_split(comm, checking::rank_in(comm) < 2 ? 0 : 1, 0, &inner);
    check(inner);
    check(comm);  // while a part of it is alive
    check_and_free(inner);
    check_and_free(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank < 5 ? 0 : 1, rank, &comm);  // five have a rule of their own
    check_and_free(comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    check_and_free(comm);
}

void check_groups() {
    const int ranks = checking::ranks_in(MPI_COMM_WORLD);
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group some = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const std::vector<int> members{ranks - 1, 0, ranks / 2};
    MPI_Group_incl(world, static_cast<int>(members.size()), members.data(), &some);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
    check_and_free(comm);
    int mine = MPI_UNDEFINED;
    MPI_Group_rank(some, &mine);
    comm = MPI_COMM_NULL;
    if (mine != MPI_UNDEFINED) MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comm);
    check_and_free(comm);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

void check_topologies() {
    const int ranks = checking::ranks_in(MPI_COMM_WORLD);
    MPI_Comm comm = MPI_COMM_NULL;
    const int dims[] = {2, ranks / 2};
    const int periods[] = {1, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comm);
    if (comm != MPI_COMM_NULL) {
        const int keep[] = {0, 1};
        MPI_Comm row = MPI_COMM_NULL;
        MPI_Cart_sub(comm, keep, &row);
        check_and_free(row);
    }
    check_and_free(comm);

    const int index[] = {1, 2};
    const int edges[] = {1, 0};
    MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &comm);
    check_and_free(comm);
    const int left = (checking::world_rank() + ranks - 1) % ranks;
    const int right = (checking::world_rank() + 1) % ranks;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                   0, &comm);
    check_and_free(comm);
}

/// From one rank of one side to every rank of the other.
bool broadcast_across(MPI_Comm inter, bool from_here, bool to_here, std::uint64_t seed) {
    const checking::Content content(seed);
    std::vector<char> buffer(30000, '\0');
    const bool root = from_here && checking::rank_in(inter) == 1;
    if (root) content.write(buffer.data(), 0, buffer.size());
    const int where = to_here ? 1 : root ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, where, inter);
    const std::size_t wrong = static_cast<std::size_t>(content.wrong(buffer.data(), 0, buffer.size()));
    return root || to_here ? wrong == 0 : wrong > buffer.size() / 2;
}

void check_intercommunicator() {
    const int rank = checking::world_rank();
    const int half = checking::ranks_in(MPI_COMM_WORLD) / 2;
    const bool low = rank < half;
    MPI_Comm side = MPI_COMM_NULL;
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, low ? half : 0, 3, &inter);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) EXPECT(broadcast_across(inter, low, !low, seed));
    for (std::uint64_t seed = 4; seed <= 6; ++seed) EXPECT(broadcast_across(inter, !low, low, seed));
    MPI_Intercomm_merge(inter, low ? 1 : 0, &merged);
    check_and_free(merged);
    check_and_free(side);
    MPI_Comm_free(&inter);
}

/// A program's copy and delete functions are called for its own duplicates, and never for our private communicator.
void check_attributes() {
    int keyval = MPI_KEYVAL_INVALID;
    int value = 0;
    MPI_Comm first = MPI_COMM_NULL;
    MPI_Comm second = MPI_COMM_NULL;
    MPI_Comm_create_keyval(count_copy, count_deletion, &keyval, nullptr);
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_set_attr(first, keyval, &value);
    check(first);
    EXPECT(copies_made == 0);
    MPI_Comm_dup(first, &second);  // carries over the program's attribute, and nothing of ours
    EXPECT(copies_made == 1);
    check(second);
    check(first);
    EXPECT(copies_made == 1 && values_deleted == 0);
    MPI_Comm_free(&first);
    EXPECT(values_deleted == 1);
    check(second);
    MPI_Comm_free(&second);
    EXPECT(copies_made == 1 && values_deleted == 2);
    MPI_Comm_free_keyval(&keyval);

    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(MPI_COMM_WORLD, &first, &request);
    check(MPI_COMM_WORLD);  // while the duplicate is in the making
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_and_free(first);
}

void check_error_handler() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    check(comm);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comm, &handler);
    EXPECT(handler == MPI_ERRORS_RETURN);
    MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    check(MPI_COMM_WORLD);
    check(MPI_COMM_SELF);
    check_splits();
    check_groups();
    check_topologies();
    check_intercommunicator();
    check_attributes();
    check_error_handler();
    MPI_Comm freed_at_once = MPI_COMM_NULL;
    for (int i = 0; i < 50; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &freed_at_once);
        if (i % 2 == 0) EXPECT(checking::broadcast_bytes(freed_at_once, i % 3, 1000, static_cast<std::uint64_t>(i)));
        MPI_Comm_free(&freed_at_once);
    }
    return checking::finish();
}
