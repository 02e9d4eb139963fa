// One rank is refused memory in the middle of a program: the broadcast ends everywhere, with the right bytes or an
// error, and the next one is right. A message that is not contiguous has to be packed, which takes memory of its size.
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "checking.hpp"

namespace {

constexpr int elements = 6 << 20;  // ints, every other of them sent: 24 MB
constexpr std::size_t left_bytes = std::size_t{8} << 20;

/// The bytes of address space that this process has.
std::size_t address_space() {
    std::ifstream in("/proc/self/statm");
    std::size_t pages = 0;
    in >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// While it lives, this process gets hardly more memory.
class LittleMemory {
  public:
    explicit LittleMemory(bool little) : little_(little) {
        getrlimit(RLIMIT_AS, &before_);
        rlimit limit = before_;
        limit.rlim_cur = address_space() + left_bytes;
        if (little_) setrlimit(RLIMIT_AS, &limit);
    }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;
    ~LittleMemory() {
        if (little_) setrlimit(RLIMIT_AS, &before_);
    }

  private:
    bool little_;
    rlimit before_{};
};

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
}

/// `victim` has no memory for the message. It returns an error, unless it can do without; the root knows nothing.
void broadcast_with_little(MPI_Comm comm, MPI_Datatype type, int root, int victim, std::vector<int>& buffer) {
    const int rank = checking::rank_in(comm);
    for (std::size_t i = 0; i < buffer.size(); ++i) {
        buffer[i] = rank == root && i % 2 == 0 ? static_cast<int>(i) * 3 + root : -1;
    }
    int error = MPI_SUCCESS;
    {
        const LittleMemory little(rank == victim);
        error = MPI_Bcast(buffer.data(), 1, type, root, comm);
    }
    long wrong = 0;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
        if (i % 2 != 0) wrong += buffer[i] != -1 ? 1 : 0;
        if (i % 2 == 0 && error == MPI_SUCCESS) wrong += buffer[i] != static_cast<int>(i) * 3 + root ? 1 : 0;
    }
    EXPECT(wrong == 0);
    if (rank == victim) EXPECT(error == MPI_SUCCESS || class_of(error) == MPI_ERR_NO_MEM);
    if (error != MPI_SUCCESS && rank != victim) EXPECT(class_of(error) == MPI_ERR_OTHER);
    int failed = rank == victim && error != MPI_SUCCESS ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, comm);
    if (failed == 0) EXPECT(error == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int ranks = checking::ranks_in(comm);
    // MPI has what it needs by then.
    checking::broadcast_from_every_root(comm, 1, {1000, 300000, 3000000});
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(elements, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    std::vector<int> buffer(2 * elements);
    for (int victim = 0; victim < ranks; ++victim) {
        broadcast_with_little(comm, type, 1, victim, buffer);
        EXPECT(checking::broadcast_bytes(comm, victim, 300000, static_cast<std::uint64_t>(victim) + 77));
    }
    MPI_Type_free(&type);
    MPI_Comm_free(&comm);
    return checking::finish();
}
