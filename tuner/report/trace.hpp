// What BCASTGEN_TRACE left: a line for each broadcast that a rank took part in (docs/formats.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bcastgen {

/// Broadcasts of one rank that are alike.
struct TracedCalls {
    std::size_t message_bytes = 0;
    int machines = 0;  ///< 0: not known
    int ranks = 0;     ///< of the communicator
    std::string rule;
    std::string algorithm;
    std::size_t segment_bytes = 0;
    std::uint64_t calls = 0;
    std::vector<double> imbalance_factors;  ///< that were observed; for some calls only, or none
};

struct Trace {
    std::string file;                ///< as BCASTGEN_TRACE had it
    std::size_t files = 0;           ///< ranks whose lines were found
    std::vector<TracedCalls> calls;  ///< by message size, algorithm, segment size; ranks together
};

/// Reads FILE.<rank> of all ranks, or FILE itself if there is one. Throws InputErrors for no file, and with the place
/// of lines that are no trace's.
[[nodiscard]] Trace read_trace(const std::string& file);

}  // namespace bcastgen
