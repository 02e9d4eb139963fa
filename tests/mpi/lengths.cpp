// Ranks that pass different lengths or roots to one broadcast: nobody waits for ever, the error comes back through the
// communicator's handler, nothing outside of the buffers is written, and the next broadcast is right.
//
//     lengths within [B…]   lengths that follow one rule, which applies up to B bytes, or to B+1 and more: who passes
//                           another than the root is told so
//     lengths checked       any lengths and roots, under BCASTGEN_CHECK=1: all ranks are told
//     lengths fatal A B     rank 1 passes B bytes and the others A; the error ends the job
#include <cstring>

#include "checking.hpp"

namespace {

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    return error_class;
}

/// One rank's part in a broadcast that need not be right: the class of error it comes back with. What the rank holds
/// afterwards is checked where it came back without one.
int broadcast_of(MPI_Comm comm, int root, std::size_t bytes, std::uint64_t seed) {
    constexpr std::size_t margin = 4096;  // an MPI that writes more than there is room for writes all of it
    const checking::Content content(seed);
    std::vector<char> memory(bytes + 2 * margin, '\x5a');
    char* const buffer = memory.data() + margin;
    if (checking::rank_in(comm) == root) content.write(buffer, 0, bytes);
    const int error = class_of(MPI_Bcast(buffer, static_cast<int>(bytes), MPI_BYTE, root, comm));
    if (error == MPI_SUCCESS) EXPECT(content.wrong(buffer, 0, bytes) == 0);
    for (std::size_t i = 0; i < margin; ++i) EXPECT(memory[i] == '\x5a' && buffer[bytes + i] == '\x5a');
    return error;
}

/// The ranks in `others` pass `theirs` bytes, all else, the root among them, `bytes`.
void check_within(MPI_Comm comm, int root, std::size_t bytes, std::size_t theirs, const std::vector<int>& others) {
    static std::uint64_t seed = 1;
    const int rank = checking::rank_in(comm);
    const bool differs = std::find(others.begin(), others.end(), rank) != others.end();
    const int error = broadcast_of(comm, root, differs ? theirs : bytes, ++seed);
    EXPECT(error == MPI_ERR_TRUNCATE || (!differs && error == MPI_SUCCESS));
    EXPECT(checking::broadcast_bytes(comm, (root + 1) % checking::ranks_in(comm), bytes, ++seed));
}

/// Whether both lengths follow one rule, of rules that apply up to these lengths.
bool follow_one_rule(const std::vector<std::size_t>& ends, std::size_t a, std::size_t b) {
    return std::none_of(ends.begin(), ends.end(), [&](std::size_t end) { return (a <= end) != (b <= end); });
}

/// Lengths that differ a little and a lot, at one rank, at several and at all but the root.
void check_all_within(MPI_Comm comm, const std::vector<std::size_t>& ends) {
    const int ranks = checking::ranks_in(comm);
    const std::size_t lengths[] = {1, 2, 100, 1024, 1025, 4000, 4001, 5000, 8192, 8193, 16384, 40000, 65536, 200000};
    for (int root = 0; root < ranks; root += ranks - 1) {
        for (const std::size_t bytes : lengths) {
            for (const std::size_t theirs : {bytes / 2, bytes - 1, bytes + 1, bytes + 1024, 2 * bytes, 17 * bytes}) {
                if (theirs == 0 || !follow_one_rule(ends, bytes, theirs)) continue;
                std::vector<int> all;
                for (int rank = 0; rank < ranks; ++rank) {
                    if (rank != root) all.push_back(rank);
                }
                const std::vector<int> who[] = {{all[bytes % all.size()]}, {all.front(), all.back()}, all};
                check_within(comm, root, bytes, theirs, who[theirs % 3]);
            }
        }
    }
}

void check_told(MPI_Comm comm, int root, std::size_t bytes, int error) {
    static std::uint64_t seed = 1000000;
    EXPECT(broadcast_of(comm, root, bytes, ++seed) == error);
    checking::broadcast_from_every_root(comm, ++seed * 1000, {0, 1, 5000});
}

/// Whatever rules the lengths follow, and none at all.
void check_all_told(MPI_Comm comm) {
    const int rank = checking::rank_in(comm);
    const int last = checking::ranks_in(comm) - 1;
    check_told(comm, 0, rank == last ? 200000 : 100, MPI_ERR_TRUNCATE);
    check_told(comm, 0, rank == 0 ? 0 : 5000, MPI_ERR_TRUNCATE);
    check_told(comm, 1, static_cast<std::size_t>(rank) * 3000, MPI_ERR_TRUNCATE);
    check_told(comm, rank == last ? 0 : 1, 5000, MPI_ERR_ROOT);
    check_told(comm, rank == last ? 0 : 1, rank == 0 ? 5001 : 5000, MPI_ERR_ROOT);
    // As many bytes in other elements, and nothing in elements of no size, are the same call.
    std::vector<double> numbers(100, rank == 0 ? 1.5 : 0);
    EXPECT((rank == 0 ? MPI_Bcast(numbers.data(), 100, MPI_DOUBLE, 0, comm)
                      : MPI_Bcast(numbers.data(), 800, MPI_BYTE, 0, comm)) == MPI_SUCCESS);
    EXPECT(numbers == std::vector<double>(100, 1.5));
    MPI_Datatype nothing = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    EXPECT(MPI_Bcast(numbers.data(), rank, nothing, 0, comm) == MPI_SUCCESS);
    MPI_Type_free(&nothing);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::string mode = argc > 1 ? argv[1] : "within";
    if (mode == "fatal") {
        const int which = checking::world_rank() == 1 ? 3 : 2;
        std::vector<char> buffer(std::strtoul(argv[which], nullptr, 10));
        MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
        return 0;
    }
    // MPI_COMM_WORLD keeps MPI_ERRORS_ARE_FATAL: an error that lands there ends the program.
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    std::vector<std::size_t> ends;
    for (int i = 2; i < argc; ++i) ends.push_back(std::strtoul(argv[i], nullptr, 10));
    if (mode == "within") check_all_within(comm, ends);
    if (mode == "checked") check_all_told(comm);
    MPI_Comm_free(&comm);
    return checking::finish();
}
