// Broadcasts messages of many sizes from every root and checks every byte on every rank, with fresh content each time.
//
//     mpiexec -n 8 check_bcast [largest size in bytes, default 4 MiB] [most bytes per size, default 32 MiB]
//
// Prints one line per size from rank 0; exits 1 if any byte anywhere was wrong.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

/// A pattern that differs between calls, roots and offsets (splitmix64's finisher on a counter).
class Content {
  public:
    explicit Content(std::uint64_t seed) : seed_(seed * 0x9e3779b97f4a7c15U) {}
    [[nodiscard]] unsigned char at(std::size_t offset) const {
        std::uint64_t word = seed_ + offset / 8;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
        return static_cast<unsigned char>(word >> (8 * (offset % 8)));
    }

  private:
    std::uint64_t seed_;
};

long wrong_bytes(const std::vector<unsigned char>& buffer, const Content& content) {
    long wrong = 0;
    for (std::size_t i = 0; i < buffer.size(); ++i) wrong += buffer[i] != content.at(i) ? 1 : 0;
    return wrong;
}

/// One broadcast of `size` bytes from `root`; returns how many bytes this rank got wrong.
long broadcast_once(std::size_t size, int root, int rank, std::uint64_t seed) {
    const Content content(seed);
    std::vector<unsigned char> buffer(size, 0xAA);
    if (rank == root) {
        for (std::size_t i = 0; i < size; ++i) buffer[i] = content.at(i);
    }
    if (MPI_Bcast(buffer.data(), static_cast<int>(size), MPI_BYTE, root, MPI_COMM_WORLD) != MPI_SUCCESS) return 1;
    return wrong_bytes(buffer, content);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : std::size_t{4} << 20;
    const std::size_t most = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::size_t{32} << 20;

    std::vector<std::size_t> sizes{0, 1, 2, 3};
    for (std::size_t size = 8; size <= largest; size *= 8) {
        sizes.push_back(size - 1);
        sizes.push_back(size);
        sizes.push_back(size + 1);
    }
    if (sizes.back() < largest) sizes.push_back(largest);

    std::uint64_t seed = 1;
    long all_wrong = 0;
    for (const std::size_t size : sizes) {
        long wrong = 0;
        int roots = 0;
        for (; roots < ranks && (roots == 0 || static_cast<std::size_t>(roots) * size < most); ++roots) {
            wrong += broadcast_once(size, roots, rank, seed++);
        }
        long total = 0;
        MPI_Allreduce(&wrong, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0) std::printf("%10zu bytes  %4d roots  %s\n", size, roots, total == 0 ? "ok" : "WRONG");
        all_wrong += total;
    }
    if (rank == 0) std::printf("%s\n", all_wrong == 0 ? "every byte right on every rank" : "bytes were wrong");
    MPI_Finalize();
    return all_wrong == 0 ? 0 : 1;
}
