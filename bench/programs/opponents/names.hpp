// Broadcasts of today that others have published, to be measured beside the library's: a row for each.
//
// Shared by the tool and the measuring program, so C++17. No MPI.
#pragma once

#include <cstring>
#include <string>

namespace bcastgen {

enum class Opponent { circulant, two_level, topology_kary, topology_wave };

struct OpponentRow {
    Opponent opponent;
    const char* name;   ///< without the prefix
    int ahead;          ///< receives posted before the one that is waited for, and sends to one rank under way, at most
    int most_children;  ///< topology_kary: of a rank, on each level
    const char* about;  ///< in one line
};

/// All of them cut messages into segments. Where links share their bandwidth, few sends under way are quicker for
/// middle sizes; where latency rules, more are.
inline constexpr OpponentRow opponent_rows[] = {
    {Opponent::circulant, "circulant", 1, 0,
     "circulant graph (Träff): n segments in n - 1 + ceil(log2 P) rounds, one send after the other"},
    {Opponent::circulant, "circulant-queued", 4, 0, "the same with up to four sends under way"},
    {Opponent::two_level, "two-level", 1, 0,
     "from switch to switch, overlapped with broadcasts within (Open MPI's HAN)"},
    {Opponent::topology_kary, "topology-kary1", 4, 1,
     "chains over groups, over their switches, over their ranks (MPICH's topology-aware trees)"},
    {Opponent::topology_kary, "topology-kary2", 4, 2, "the same with binary trees, which is MPICH's default"},
    {Opponent::topology_kary, "topology-kary4", 4, 4, "the same with four children"},
    {Opponent::topology_wave, "topology-wave", 4, 0, "earliest-finish tree by three latencies (MPICH's topology-wave)"},
};

inline constexpr const char* opponent_prefix = "opponent:";  ///< opponent:NAME in --algorithms

/// The row of "opponent:NAME"; nullptr for other algorithms.
inline const OpponentRow* opponent_called(const std::string& algorithm) {
    for (const OpponentRow& row : opponent_rows) {
        if (algorithm == std::string(opponent_prefix) + row.name) return &row;
    }
    return nullptr;
}

/// True of every name with the prefix.
inline bool is_opponents(const std::string& algorithm) {
    return algorithm.rfind(opponent_prefix, 0) == 0;
}

}  // namespace bcastgen
