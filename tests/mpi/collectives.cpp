// Every collective once on the world and on a half of it, each result checked: an MPI that is told of rules for its
// broadcasts must have kept all others.   collectives [BYTES…]   broadcasts of so many bytes as well, from every rank.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

int failures = 0;

void expect(bool right, const char* what) {
    if (right) return;
    ++failures;
    std::fprintf(stderr, "%s is wrong\n", what);
}

struct Group {
    explicit Group(MPI_Comm of) : comm(of) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &size);
    }
    MPI_Comm comm;
    int rank = 0;
    int size = 0;
    [[nodiscard]] std::size_t places() const { return static_cast<std::size_t>(size); }
};

void broadcast(const Group& group, std::size_t bytes, int root) {
    std::vector<char> message(bytes, group.rank == root ? static_cast<char>('a' + root) : '\0');
    MPI_Bcast(message.data(), static_cast<int>(bytes), MPI_CHAR, root, group.comm);
    expect(message == std::vector<char>(bytes, static_cast<char>('a' + root)), "MPI_Bcast");
    message.assign(bytes, group.rank == root ? static_cast<char>('b' + root) : '\0');
    MPI_Request request;
    MPI_Ibcast(message.data(), static_cast<int>(bytes), MPI_CHAR, root, group.comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(message == std::vector<char>(bytes, static_cast<char>('b' + root)), "MPI_Ibcast");
}

void others(const Group& group) {
    const int all = group.size * (group.size - 1) / 2;  // the sum of the ranks
    std::vector<int> places(group.places());
    std::vector<int> counted(group.places());
    std::iota(counted.begin(), counted.end(), 0);
    const std::vector<int> ones(group.places(), 1);
    MPI_Barrier(group.comm);
    int one = -1;
    MPI_Allreduce(&group.rank, &one, 1, MPI_INT, MPI_SUM, group.comm);
    expect(one == all, "MPI_Allreduce");
    one = -1;
    MPI_Reduce(&group.rank, &one, 1, MPI_INT, MPI_SUM, 0, group.comm);
    expect(group.rank != 0 || one == all, "MPI_Reduce");
    MPI_Allgather(&group.rank, 1, MPI_INT, places.data(), 1, MPI_INT, group.comm);
    expect(places == counted, "MPI_Allgather");
    places.assign(places.size(), -1);
    MPI_Allgatherv(&group.rank, 1, MPI_INT, places.data(), ones.data(), counted.data(), MPI_INT, group.comm);
    expect(places == counted, "MPI_Allgatherv");
    MPI_Gather(&group.rank, 1, MPI_INT, places.data(), 1, MPI_INT, 0, group.comm);
    expect(places == counted, "MPI_Gather");
    MPI_Gatherv(&group.rank, 1, MPI_INT, places.data(), ones.data(), counted.data(), MPI_INT, 0, group.comm);
    expect(places == counted, "MPI_Gatherv");
    one = -1;
    MPI_Scatter(counted.data(), 1, MPI_INT, &one, 1, MPI_INT, 0, group.comm);
    expect(one == group.rank, "MPI_Scatter");
    one = -1;
    MPI_Scatterv(counted.data(), ones.data(), counted.data(), MPI_INT, &one, 1, MPI_INT, 0, group.comm);
    expect(one == group.rank, "MPI_Scatterv");
    const std::vector<int> own(group.places(), group.rank);
    MPI_Alltoall(own.data(), 1, MPI_INT, places.data(), 1, MPI_INT, group.comm);
    expect(places == counted, "MPI_Alltoall");
    MPI_Alltoallv(own.data(), ones.data(), counted.data(), MPI_INT, places.data(), ones.data(), counted.data(), MPI_INT,
                  group.comm);
    expect(places == counted, "MPI_Alltoallv");
    MPI_Reduce_scatter(counted.data(), &one, ones.data(), MPI_INT, MPI_SUM, group.comm);
    expect(one == group.rank * group.size, "MPI_Reduce_scatter");
    MPI_Reduce_scatter_block(counted.data(), &one, 1, MPI_INT, MPI_SUM, group.comm);
    expect(one == group.rank * group.size, "MPI_Reduce_scatter_block");
    MPI_Scan(&group.rank, &one, 1, MPI_INT, MPI_SUM, group.comm);
    expect(one == group.rank * (group.rank + 1) / 2, "MPI_Scan");
    MPI_Exscan(&group.rank, &one, 1, MPI_INT, MPI_SUM, group.comm);
    expect(group.rank == 0 || one == group.rank * (group.rank - 1) / 2, "MPI_Exscan");
}

void non_blocking(const Group& group) {
    MPI_Request requests[3];
    int sum = 0;
    std::vector<int> places(group.places());
    MPI_Ibarrier(group.comm, &requests[0]);
    MPI_Iallreduce(&group.rank, &sum, 1, MPI_INT, MPI_SUM, group.comm, &requests[1]);
    MPI_Iallgather(&group.rank, 1, MPI_INT, places.data(), 1, MPI_INT, group.comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    expect(sum == group.size * (group.size - 1) / 2, "MPI_Iallreduce");
    expect(places.back() == group.size - 1, "MPI_Iallgather");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const Group world(MPI_COMM_WORLD);
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, world.rank % 2, world.rank, &half);
    for (const Group& group : {world, Group(half)}) {
        for (int at = 1; at < argc; ++at) {
            for (int root = 0; root < group.size; ++root) broadcast(group, std::strtoul(argv[at], nullptr, 10), root);
        }
        if (argc == 1) others(group);
        if (argc == 1) non_blocking(group);
    }
    MPI_Comm_free(&half);
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
