// The broadcasts of a program in a few figures, from its trace.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/measure/trace.hpp"

namespace bcastgen {

/// Broadcasts whose messages are of a range of sizes.
struct TracedSizes {
    std::size_t least_bytes = 0;
    std::size_t most_bytes = 0;
    double broadcasts = 0;
    double seconds = 0;  ///< that a rank spends in them, the mean of all ranks
};

struct TraceSummary {
    double broadcasts = 0;             ///< calls by the ranks that each one takes: whole if all ranks' traces are there
    double seconds = 0;                ///< that a rank spends in MPI_Bcast, the mean of all ranks
    double planned_broadcasts = 0;     ///< of them, those that bcastgen's algorithms carried
    double planned_seconds = 0;        ///< and the seconds in these
    TracedRank slowest;                ///< the rank that spends longest in MPI_Bcast
    std::vector<TracedSizes> sizes{};  ///< those that take longest first
};

/// At most six ranges of message sizes, each size by itself where there are no more.
[[nodiscard]] TraceSummary summary_of(const Trace& trace);

}  // namespace bcastgen
