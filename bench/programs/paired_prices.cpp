// Two emitted libraries in one process, block by block in turn: what a change of the engine costs, on one host.
//
//   mpiexec -n RANKS paired_prices OLDER.so NEWER.so SIZES      BCASTGEN_… as for the libraries
//
// Both are loaded beside each other, so they must be compiled with -fno-gnu-unique (bench/scripts/paired.py does so).
// Prints for each size the time of a broadcast with either, and the newer one's over the older one's: CSV. Blocks end
// with all ranks; the lowest tenths count. Every byte is checked, with content that changes each time.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "bench/programs/timing.hpp"

namespace {

using Broadcast = int (*)(void*, int, MPI_Datatype, int, MPI_Comm);

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Broadcast broadcast_of(const char* library) {
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    void* found = handle == nullptr ? nullptr : dlsym(handle, "MPI_Bcast");
    if (found == nullptr) {
        std::fprintf(stderr, "paired_prices: %s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return reinterpret_cast<Broadcast>(found);
}

/// Broadcasts of one size from rank 0.
class Blocks {
  public:
    Blocks(int rank, std::size_t bytes) : rank_(rank), buffer_(bytes) {}

    /// Seconds of a broadcast over a block of them, at the slowest rank.
    double run(Broadcast broadcast, int calls) {
        begin_content();
        MPI_Barrier(MPI_COMM_WORLD);
        const double begin = now_s();
        for (int i = 0; i < calls; ++i) {
            broadcast(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
        }
        double took = now_s() - begin;
        MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        check_content();
        return took / calls;
    }

  private:
    [[nodiscard]] unsigned char content(std::size_t at) const {
        constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;
        constexpr unsigned high_byte = 56;
        return static_cast<unsigned char>(((at + trial_) * odd) >> high_byte);
    }

    void begin_content() {
        ++trial_;
        for (std::size_t at = 0; at < buffer_.size(); ++at) buffer_[at] = rank_ == 0 ? content(at) : 0;
    }

    void check_content() {
        for (std::size_t at = 0; at < buffer_.size(); ++at) {
            if (buffer_[at] == content(at)) continue;
            std::fprintf(stderr, "paired_prices: byte %zu of %zu is wrong at rank %d\n", at, buffer_.size(), rank_);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }

    int rank_;
    std::vector<unsigned char> buffer_;
    std::uint64_t trial_ = 0;
};

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    constexpr int wanted = 4;
    if (count != wanted) {
        std::fprintf(stderr, "usage: paired_prices OLDER.so NEWER.so BYTES,…\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const Broadcast older = broadcast_of(words[1]);
    const Broadcast newer = broadcast_of(words[2]);
    if (rank == 0) std::printf("message_bytes,older_us,newer_us,ratio\n");
    std::istringstream sizes(words[3]);
    for (std::string size; std::getline(sizes, size, ',');) {
        const std::size_t bytes = std::stoul(size);
        Blocks blocks(rank, bytes);
        constexpr int pairs = 240;
        constexpr double block_s = 0.004;
        // Set-up is none of a broadcast's price.
        double once = blocks.run(older, 20);
        once = std::max(once, blocks.run(newer, 20));
        MPI_Bcast(&once, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        const int calls = std::max(1, static_cast<int>(block_s / once));
        std::vector<double> with_older;
        std::vector<double> with_newer;
        for (int pair = 0; pair < pairs; ++pair) {
            with_older.push_back(blocks.run(older, calls));
            with_newer.push_back(blocks.run(newer, calls));
        }
        if (rank != 0) continue;
        const double older_s = timing::lowest(with_older, 10);
        const double newer_s = timing::lowest(with_newer, 10);
        std::printf("%zu,%.3f,%.3f,%.3f\n", bytes, older_s * 1e6, newer_s * 1e6, newer_s / older_s);
        std::fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
