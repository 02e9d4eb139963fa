// Options that all commands which measure have in common: machines, sizes, arrivals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "planner/mpis/broadcasts.hpp"
#include "planner/network/network.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

/// A piece of an option's text.
struct TextPart {
    std::string text;
    std::size_t offset;
};

/// The pieces between the occurrences of `at`.
[[nodiscard]] std::vector<TextPart> split(const std::string& text, char at);

/// Appends what is not in the list yet.
template <class T>
void add_new(std::vector<T>& items, const T& item) {
    if (std::find(items.begin(), items.end(), item) == items.end()) items.push_back(item);
}

/// "balanced", "random:MAX_IF" or "late:FRACTION:MAX_IF". Throws ParseError.
[[nodiscard]] ArrivalPattern parse_arrival(const std::string& text);

/// A list of sizes: "1K,64K,1M". Throws ParseError for the first that is not a size, or is 0.
[[nodiscard]] std::vector<std::size_t> parse_sizes(const std::string& text);

/// The names that "ompi:all" and "mpich:all" stand for; the name itself for others.
[[nodiscard]] std::vector<std::string> all_of_mpi(const std::string& name);

/// Why a broadcast that an MPI has of its own cannot be measured on such a cluster with that MPI ("mpich", "openmpi");
/// empty if it can.
[[nodiscard]] std::string why_not_on(const MpiBroadcast& own, const ClusterKind& kind, const std::string& mpi);

constexpr std::size_t most_message_bytes = std::size_t{1} << 40;

/// The same, where FROM-TO stands for the sizes from FROM by factors of 4, and TO: "1K-1M,3M". Throws ParseError.
[[nodiscard]] std::vector<std::size_t> parse_message_sizes(const std::string& text);

/// The machines that take part in a measurement.
struct TakingPart {
    std::vector<int> machines;  ///< of the network, in the sequence of the ranks
    int root = 0;
};

/// `machines`: a hostlist, empty for all in natural order; `root`: empty for the first of them. Throws InputErrors,
/// also if there is but one machine, unless it has several ranks.
[[nodiscard]] TakingPart taking_part(const Network& network, const std::string& machines, const std::string& root,
                                     bool several_ranks = false);

}  // namespace bcastgen
