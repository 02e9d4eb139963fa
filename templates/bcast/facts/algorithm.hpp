// The algorithms: one row for each, and everything else that tells them apart reads these rows.
//
// A new algorithm that sends along trees is a file in trees/, a row here and a row in tree_builders.hpp. Enumerators
// are only ever added at the end: libraries of different versions compare settings by their numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace bcast {

enum class Algorithm : std::uint8_t {
    native,
    flat,
    binomial,
    linear,
    binary,
    kary3,
    two_tree,
    latency,
    scatter_ring,
    scatter_ring_tuned,
    arrival_b,
    arrival_nb,
    arrival_live,
    multicast,
    double_binary,
    circulant,
    kary4,
    kary5
};

/// Which engine runs it.
enum class Family : std::uint8_t {
    native,    ///< none of ours
    tree,      ///< the message goes down one planned tree, or an equal part of it down each of several
    ring,      ///< every rank gets a block of the message first, then all blocks go round to all
    rounds,    ///< in each round every machine sends a block of the message and receives one
    arrival,   ///< who sends to whom depends on who has entered the broadcast
    multicast  ///< datagrams to all at once
};

enum class Segments : std::uint8_t {
    none,      ///< no segment size applies
    whole,     ///< takes messages whole, and in segments only when it is told to
    pipelined  ///< does best with messages in segments
};

/// What an algorithm has beside its family.
namespace trait {
enum Flag : unsigned {
    contention_free = 1,    ///< promised: no link has load above what it can carry; a plan that breaks it is refused
    baked = 2,              ///< its trees are written into the emitted library while they stay small
    any_radix = 4,          ///< `bcastgen plan` builds it with any number of children (--radix)
    spare_bandwidth = 8,    ///< puts more on links that are faster than the slowest
    by_size = 16,           ///< its tree depends on the size of the message
    blind = 32,             ///< over the machines in the sequence of the ranks, whatever the switches
    skips_held = 64,        ///< a ring that hands on no block that the next rank holds
    needs_datagrams = 128,  ///< for clusters that have them, and sites with multicast groups
    only_if_asked = 256,    ///< to compare with: proposed and tuned only where it is asked for by name
    full_bisection = 512    ///< meets nowhere only if every trunk carries all that the machines behind it can send
};
}  // namespace trait

inline constexpr int everyone = 0;  ///< AlgorithmRow::children: as many as there are other machines
inline constexpr int halving = -1;  ///< AlgorithmRow::children, trees: ceil(log2 P) among P machines

struct AlgorithmRow {
    Algorithm algorithm;
    const char* name;  ///< as BCASTGEN_ALGORITHM, decision tables and benchmarks have it
    const char* tree;  ///< as `bcastgen plan --tree` has it; empty: there is nothing to plan
    Family family;
    int trees;     ///< how many, each with an equal part of the message; 0: none of its own; or halving
    int children;  ///< most of a machine in a tree, or everyone, or halving
    Segments segments;
    unsigned traits;      ///< trait::Flag, joined by |
    const char* purpose;  ///< what it is for, in one line
};

// clang-format off
inline constexpr AlgorithmRow algorithm_rows[] = {
    {Algorithm::native, "native", "", Family::native, 0, 0, Segments::none, 0,
     "the MPI's own broadcast"},
    {Algorithm::flat, "flat", "flat", Family::tree, 1, everyone, Segments::whole, 0,
     "the root sends to everyone in turn: small messages to few machines"},
    {Algorithm::binomial, "binomial", "binomial", Family::tree, 1, halving, Segments::whole, 0,
     "a binomial tree over the order: small messages on any network"},
    {Algorithm::linear, "linear", "linear", Family::tree, 1, 1, Segments::pipelined, trait::contention_free,
     "a chain along the order: large messages to few machines"},
    {Algorithm::binary, "binary", "binary", Family::tree, 1, 2, Segments::pipelined,
     trait::contention_free | trait::baked | trait::spare_bandwidth,
     "a contention-free tree, at most two children a machine: medium-sized messages"},
    {Algorithm::kary3, "kary3", "kary", Family::tree, 1, 3, Segments::pipelined,
     trait::contention_free | trait::baked | trait::any_radix | trait::spare_bandwidth,
     "a contention-free tree, at most three children a machine: lower than binary, at stage 3"},
    {Algorithm::two_tree, "two-tree", "two-tree", Family::tree, 2, 2, Segments::pipelined,
     trait::contention_free | trait::spare_bandwidth,
     "two trees with half of the message each: large messages to many machines"},
    {Algorithm::latency, "latency", "latency", Family::tree, 1, everyone, Segments::whole, trait::by_size,
     "the tree that delivers a small message soonest, from send times and distances"},
    {Algorithm::scatter_ring, "scatter-ring", "scatter-ring", Family::ring, 1, halving, Segments::pipelined,
     trait::contention_free,
     "a scatter, then all blocks round a ring in the order: the classic for large messages"},
    {Algorithm::scatter_ring_tuned, "scatter-ring-tuned", "scatter-ring-tuned", Family::ring, 1, everyone,
     Segments::pipelined, trait::contention_free | trait::skips_held,
     "the same with a scatter that knows the switches; no rank receives a block twice"},
    {Algorithm::arrival_b, "arrival-b", "", Family::arrival, 0, 0, Segments::pipelined, 0,
     "imbalanced arrivals: the ranks that have arrived are served together, in rounds"},
    {Algorithm::arrival_nb, "arrival-nb", "", Family::arrival, 0, 0, Segments::pipelined, 0,
     "the same; ranks that have not arrived are sent what MPI buffers for them"},
    {Algorithm::arrival_live, "arrival-live", "", Family::arrival, 0, 0, Segments::pipelined, 0,
     "imbalanced arrivals: late ranks join the broadcast under way"},
    {Algorithm::multicast, "multicast", "", Family::multicast, 0, 0, Segments::none, trait::needs_datagrams,
     "datagrams to all machines at once: small messages to many machines"},
    {Algorithm::double_binary, "double-binary", "double-binary", Family::tree, 2, 2, Segments::pipelined,
     trait::blind | trait::only_if_asked,
     "NCCL's two binary trees in rank order, blind to switches: an opponent to compare with"},
    {Algorithm::circulant, "circulant", "circulant", Family::rounds, halving, halving, Segments::pipelined,
     trait::full_bisection,
     "a block to and from each machine in every round, the fewest: where no trunk is narrow"},
    {Algorithm::kary4, "kary4", "kary4", Family::tree, 1, 4, Segments::pipelined,
     trait::contention_free | trait::spare_bandwidth,
     "the same as kary3 with four children: messages of a few segments on fast links"},
    {Algorithm::kary5, "kary5", "kary5", Family::tree, 1, 5, Segments::pipelined,
     trait::contention_free | trait::spare_bandwidth, "the same with five children: fewer segments still"},
};
// clang-format on

inline constexpr std::size_t algorithm_count = sizeof algorithm_rows / sizeof *algorithm_rows;

constexpr const AlgorithmRow& row_of(Algorithm algorithm) {
    return algorithm_rows[static_cast<std::size_t>(algorithm)];
}

constexpr const char* name_of(Algorithm algorithm) {
    return row_of(algorithm).name;
}

constexpr const char* tree_name_of(Algorithm algorithm) {
    return row_of(algorithm).tree;
}

/// The algorithm of that name; none for any other text.
inline std::optional<Algorithm> parse_algorithm(const char* text) {
    for (const AlgorithmRow& row : algorithm_rows) {
        if (std::strcmp(text, row.name) == 0) return row.algorithm;
    }
    return std::nullopt;
}

constexpr bool has(Algorithm algorithm, trait::Flag flag) {
    return (row_of(algorithm).traits & flag) != 0;
}

/// What it is for, in one line.
constexpr const char* purpose_of(Algorithm algorithm) {
    return row_of(algorithm).purpose;
}

/// True of what is left to the MPI.
constexpr bool is_native(Algorithm algorithm) {
    return row_of(algorithm).family == Family::native;
}

/// True if the algorithm gives every rank a block of the message first, and then all blocks to all.
constexpr bool scatters(Algorithm algorithm) {
    return row_of(algorithm).family == Family::ring;
}

/// True if who sends to whom depends on who has entered the broadcast.
constexpr bool is_arrival_aware(Algorithm algorithm) {
    return row_of(algorithm).family == Family::arrival;
}

/// True if every machine sends and receives one block of the message in each round.
constexpr bool goes_in_rounds(Algorithm algorithm) {
    return row_of(algorithm).family == Family::rounds;
}

constexpr bool is_multicast(Algorithm algorithm) {
    return row_of(algorithm).family == Family::multicast;
}

/// True if the algorithm moves the message, whole or in segments, down planned trees.
constexpr bool uses_trees(Algorithm algorithm) {
    return row_of(algorithm).family == Family::tree;
}

/// True if there is something to plan: trees, or the scatter of a ring.
constexpr bool has_plan(Algorithm algorithm) {
    return *row_of(algorithm).tree != '\0';
}

/// True if a segment size makes a difference.
constexpr bool takes_segments(Algorithm algorithm) {
    return row_of(algorithm).segments != Segments::none;
}

/// True if it does best with messages in segments.
constexpr bool pipelines(Algorithm algorithm) {
    return row_of(algorithm).segments == Segments::pipelined;
}

/// The segment size of an algorithm that is asked for by name; 0: in one piece.
constexpr std::size_t usual_segment_bytes(Algorithm algorithm) {
    return pipelines(algorithm) ? 8192 : 0;
}

/// True of trees for segments, which any group of machines can have.
constexpr bool streams(Algorithm algorithm) {
    return uses_trees(algorithm) && pipelines(algorithm);
}

/// True of those trees for segments that a decision table without measurements chooses from.
constexpr bool is_predicted(Algorithm algorithm) {
    return streams(algorithm) && has(algorithm, trait::contention_free);
}

/// What is taken where neither a user nor a table says more, by what it is for.
namespace usual {
inline constexpr Algorithm no_rule = Algorithm::native;
inline constexpr Algorithm small_messages = Algorithm::latency;   ///< that would have gone by multicast
inline constexpr Algorithm large_messages = Algorithm::two_tree;  ///< the same, and groups of many machines
inline constexpr Algorithm chain = Algorithm::linear;             ///< groups of few, and what all plans start from
inline constexpr Algorithm whole_messages = Algorithm::binomial;  ///< where messages would meet on trunks
inline constexpr Algorithm late_ranks = Algorithm::arrival_live;  ///< where no table knows of imbalanced arrivals
inline constexpr Algorithm datagrams = Algorithm::multicast;      ///< BCASTGEN_MULTICAST=try
inline constexpr Algorithm first_shown = Algorithm::binary;       ///< by `bcastgen plan`
}  // namespace usual

namespace detail {

constexpr bool rows_stand_in_sequence() {
    for (std::size_t i = 0; i < algorithm_count; ++i) {
        if (static_cast<std::size_t>(algorithm_rows[i].algorithm) != i) return false;
    }
    return true;
}
static_assert(rows_stand_in_sequence(), "a row's place is its enumerator's number");

}  // namespace detail

}  // namespace bcast
