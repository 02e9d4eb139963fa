// What the MPI test programs share: content that changes with every call, and a tally of what was wrong anywhere.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace checking {

/// A pattern that differs between seeds and offsets (splitmix64's finisher on a counter).
class Content {
  public:
    explicit Content(std::uint64_t seed) : seed_(seed * 0x9e3779b97f4a7c15U) {}

    void write(char* to, std::size_t offset, std::size_t bytes) const {
        in_pieces(offset, bytes,
                  [&](std::size_t i, const char* piece, std::size_t length) { std::memcpy(to + i, piece, length); });
    }

    /// How many of `bytes` bytes are not those at `offset` of the pattern.
    [[nodiscard]] long wrong(const char* buffer, std::size_t offset, std::size_t bytes) const {
        long count = 0;
        in_pieces(offset, bytes, [&](std::size_t i, const char* piece, std::size_t length) {
            if (std::memcmp(buffer + i, piece, length) == 0) return;
            for (std::size_t k = 0; k < length; ++k) count += buffer[i + k] != piece[k] ? 1 : 0;
        });
        return count;
    }

  private:
    /// Calls `each(i, piece, length)` for pieces of the pattern from `offset` on; i counts from there.
    template <typename Each>
    void in_pieces(std::size_t offset, std::size_t bytes, Each each) const {
        std::uint64_t words[64];
        for (std::size_t i = 0; i < bytes;) {
            const std::size_t begin = (offset + i) % sizeof *words;
            const std::size_t length = std::min(sizeof words - begin, bytes - i);
            const std::uint64_t first = seed_ + (offset + i) / sizeof *words;
            for (std::size_t k = 0; k * sizeof *words < begin + length; ++k) {
                std::uint64_t word = first + k;
                word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
                word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
                words[k] = word;
            }
            each(i, reinterpret_cast<const char*>(words) + begin, length);
            i += length;
        }
    }

    std::uint64_t seed_;
};

inline long failures = 0;

inline int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

inline int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

inline int ranks_in(MPI_Comm comm) {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    return ranks;
}

/// Counts a failure, and says where and what, if `holds` is false.
inline void expect_at(bool holds, const char* file, int line, const char* what) {
    if (holds) return;
    ++failures;
    if (failures <= 20) std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}
#define EXPECT(condition) checking::expect_at((condition), __FILE__, __LINE__, #condition)

/// Calls `check(comm, ranks)` on communicators of all ranks, of one less, … and of 2, each with other ranks in another
/// order.
template <typename Check>
void on_shuffled_communicators(unsigned seed, Check check) {
    std::mt19937 random(seed);  // the same on every rank
    for (int ranks = ranks_in(MPI_COMM_WORLD); ranks >= 2; --ranks) {
        std::vector<int> numbers(static_cast<std::size_t>(ranks_in(MPI_COMM_WORLD)));
        std::iota(numbers.begin(), numbers.end(), 0);
        std::shuffle(numbers.begin(), numbers.end(), random);
        const int number = numbers[static_cast<std::size_t>(world_rank())];
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, number < ranks ? 0 : MPI_UNDEFINED, number, &comm);
        if (comm == MPI_COMM_NULL) continue;
        check(comm, ranks);
        MPI_Comm_free(&comm);
    }
}

/// Broadcasts `bytes` bytes with content of `seed` and checks them, and that nothing around them was touched.
inline bool broadcast_bytes(MPI_Comm comm, int root, std::size_t bytes, std::uint64_t seed) {
    constexpr std::size_t margin = 64;
    const Content content(seed);
    std::vector<char> memory(bytes + 2 * margin, '\x5a');
    char* const buffer = memory.data() + margin;
    if (rank_in(comm) == root) content.write(buffer, 0, bytes);
    if (MPI_Bcast(buffer, static_cast<int>(bytes), MPI_BYTE, root, comm) != MPI_SUCCESS) return false;
    const auto untouched = [](const char* from) {
        return std::all_of(from, from + margin, [](char c) { return c == '\x5a'; });
    };
    return content.wrong(buffer, 0, bytes) == 0 && untouched(memory.data()) && untouched(buffer + bytes);
}

/// Sizes that pass through every algorithm of the fixture site's decision table, with whole and broken last segments.
inline std::vector<std::size_t> every_rule() {
    return {0, 1, 65, 512, 513, 4096, 4097, 16384, 16385, 65536, 65537, 200001};
}

/// Every root, every rule of the decision table (or the given sizes).
inline void broadcast_from_every_root(MPI_Comm comm, std::uint64_t seed,
                                      const std::vector<std::size_t>& sizes = every_rule()) {
    for (const std::size_t bytes : sizes) {
        for (int root = 0; root < ranks_in(comm); ++root) EXPECT(broadcast_bytes(comm, root, bytes, ++seed));
    }
}

/// This rank's trace so far: one line for each of its broadcasts (run_mpi.py --trace).
inline std::vector<std::string> trace() {
    const char* file = std::getenv("BCASTGEN_TRACE");
    std::vector<std::string> lines;
    std::ifstream in(file != nullptr ? file + ("." + std::to_string(world_rank())) : "");
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

/// How many of the trace's lines from line `first` on are broadcasts by planned algorithms.
inline long served_since(std::size_t first) {
    const std::vector<std::string> lines = trace();
    return std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(),
                         [](const std::string& line) { return line.find(" algorithm=native ") == std::string::npos; });
}

/// Ends MPI. The program's result: 0 if nothing was wrong on any rank.
inline int finish() {
    long all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all != 0 && world_rank() == 0) std::fprintf(stderr, "%ld checks failed\n", all);
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

}  // namespace checking
