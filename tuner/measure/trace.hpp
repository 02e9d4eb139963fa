// What BCASTGEN_TRACE left: a line for each broadcast that a rank took part in (docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bcastgen {

/// Calls that are alike. Each broadcast is as many as its communicator has ranks.
struct TracedCalls {
    std::size_t message_bytes = 0;
    int machines = 0;  ///< 0: not known
    int ranks = 0;     ///< of the communicator
    std::string rule;
    std::string algorithm;
    std::size_t segment_bytes = 0;
    std::uint64_t calls = 0;
    double seconds = 0;                     ///< in all of them together, as far as the lines say
    std::map<int, std::uint64_t> roots{};   ///< calls by the root's rank in the communicator, as far as the lines say
    std::vector<double> imbalance_factors;  ///< that were observed; for some calls only, or none
};

/// What one rank did.
struct TracedRank {
    long rank = 0;  ///< in MPI_COMM_WORLD
    std::uint64_t calls = 0;
    double seconds = 0;
    std::map<std::size_t, double> seconds_by_size{};  ///< of them, by message size
};

/// One tree's part of a message, on its way to a machine.
struct TracedHop {
    std::string from;  ///< machine; the same as `to` within one
    std::string to;
    int tree = 0;
    double bytes = 0;    ///< that came after the first segment
    double seconds = 0;  ///< from the first segment to the last
};

/// A broadcast in segments, as far as lines were found that say when they came. Lines of several ranks belong together
/// by their place among those of the same sizes, algorithm and root.
struct TracedBroadcast {
    std::string kind;  ///< algorithm, segment size, ranks, and about how long the message is
    int machines = 0;
    double entered_s = 0;  ///< by the first rank, in seconds since 1970
    std::vector<TracedHop> hops;
};

struct Trace {
    std::string file;                           ///< as BCASTGEN_TRACE had it
    std::vector<TracedCalls> calls;             ///< by message size, algorithm, segment size; ranks together
    std::vector<TracedRank> ranks;              ///< whose lines were found, in their sequence
    std::vector<TracedBroadcast> broadcasts{};  ///< whose segments were timed, as they were entered
};

/// Reads FILE.<rank> of all ranks, or FILE itself if there is one. Throws InputErrors for no file, and with the place
/// of lines that are no trace's.
[[nodiscard]] Trace read_trace(const std::string& file);

}  // namespace bcastgen
