// BCASTGEN_CHECK=1: whether all ranks make the same call, found out before it is made.
//
// Ranks whose lengths lead them to different algorithms wait for messages that nobody sends, and none of them can know.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

/// What one rank passes to MPI_Bcast, as far as all must pass the same.
struct CallRecord {
    std::uint64_t bytes;
    std::int32_t root;
    std::int32_t unused;
    friend bool operator==(const CallRecord& a, const CallRecord& b) { return a.bytes == b.bytes && a.root == b.root; }
};
static_assert(sizeof(CallRecord) == 16, "ranks exchange this as bytes");

namespace detail {

/// "ranks 0-2,5: 100 bytes from root 0" for each call that some ranks make, in the sequence of their first ranks.
inline std::string describe_calls(const std::vector<CallRecord>& calls) {
    constexpr int most_kinds = 4;
    std::string text;
    std::vector<char> told(calls.size(), 0);
    for (int kinds = 0;; ++kinds) {
        std::size_t first = 0;
        while (first < calls.size() && told[first] != 0) ++first;
        if (first == calls.size()) return text;
        if (kinds == most_kinds) return text + "; and others";
        std::string ranks;
        std::size_t count = 0;
        for (std::size_t rank = first; rank < calls.size(); ++rank) {
            if (!(calls[rank] == calls[first])) continue;
            const std::size_t begin = rank;
            while (rank < calls.size() && calls[rank] == calls[first]) told[rank++] = 1;
            count += rank - begin;
            ranks += (ranks.empty() ? "" : ",") + std::to_string(begin);
            if (rank - begin > 1) ranks += "-" + std::to_string(rank - 1);
        }
        text += (text.empty() ? "" : "; ") + std::string(count == 1 ? "rank " : "ranks ") + ranks + ": " +
                std::to_string(calls[first].bytes) + " bytes from root " + std::to_string(calls[first].root);
    }
}

}  // namespace detail

/// Collective over `comm`, in which this is `rank`. MPI_SUCCESS if all ranks' calls are the same; else MPI_ERR_ROOT or
/// MPI_ERR_TRUNCATE, the same on all ranks, after rank 0 has said on stderr how they differ.
inline int compare_calls(const CallRecord& mine, MPI_Comm comm, int rank) {
    int ranks = 0;
    if (const int error = mpi.Comm_size(comm, &ranks); error != MPI_SUCCESS) return error;
    std::vector<CallRecord> calls(static_cast<std::size_t>(ranks));
    if (const int error = mpi.Allgather(&mine, sizeof mine, mpi.byte, calls.data(), sizeof mine, mpi.byte, comm);
        error != MPI_SUCCESS) {
        return error;
    }
    bool same = true;
    bool same_root = true;
    for (const CallRecord& call : calls) {
        same = same && call == calls[0];
        same_root = same_root && call.root == calls[0].root;
    }
    if (same) return MPI_SUCCESS;
    if (rank == 0) {
        std::fprintf(stderr, "bcastgen: the ranks of a communicator call MPI_Bcast with different arguments: %s\n",
                     detail::describe_calls(calls).c_str());
    }
    // An error may end the job, and rank 0 with it.
    int written = 1;
    mpi.Bcast(&written, 1, mpi.int_type, 0, comm);
    return same_root ? MPI_ERR_TRUNCATE : MPI_ERR_ROOT;
}

}  // namespace bcast
