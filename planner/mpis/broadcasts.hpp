// What Open MPI and MPICH broadcast by themselves and can be told to take: "ompi:pipeline", "mpich:binomial". A
// decision table may name them, beside the library's algorithms; `bcastgen export` then tells the MPI.
//
// Shared by the tool and the measuring program, so C++17. No MPI.
#pragma once

#include <cstring>
#include <string>

namespace bcastgen {

enum class MpiFamily { open_mpi, mpich };

struct MpiBroadcast {
    MpiFamily of;
    const char* name;  ///< as tables and --algorithms have it
    const char*
        choice;   ///< Open MPI: its name in coll_tuned_bcast_algorithm. MPICH: in MPIR_CVAR_BCAST_INTRA_ALGORITHM
    int number;   ///< Open MPI: the same as a number, which rules files have
    int fan_out;  ///< chains of Open MPI, children in MPICH's trees; 0: it has none to choose
    int intel;    ///< Intel MPI's number for the same; 0: none
    bool takes_segments;  ///< cuts messages into segments when it is told to
    const char* about;    ///< in one line
};

/// MPICH's trees of one choice are told apart by their children. MPICH 4.0 has none; there they are those of its
/// non-blocking broadcast.
inline constexpr const char* mpich_tree = "pipelined_tree";

inline constexpr MpiBroadcast mpi_broadcasts[] = {
    {MpiFamily::open_mpi, "ompi:basic_linear", "basic_linear", 1, 0, 0, false, "the root sends to everyone"},
    {MpiFamily::open_mpi, "ompi:chain", "chain", 2, 4, 0, true, "four chains from the root, in segments"},
    {MpiFamily::open_mpi, "ompi:pipeline", "pipeline", 3, 0, 0, true, "one chain in rank order, in segments"},
    {MpiFamily::open_mpi, "ompi:split_binary_tree", "split_binary_tree", 4, 0, 0, true,
     "half of the message down each half of a binary tree, then exchanged"},
    {MpiFamily::open_mpi, "ompi:binary_tree", "binary_tree", 5, 0, 0, true, "a binary tree, in segments"},
    {MpiFamily::open_mpi, "ompi:binomial", "binomial", 6, 0, 1, true, "a binomial tree, in segments"},
    {MpiFamily::open_mpi, "ompi:knomial", "knomial", 7, 0, 0, true, "a k-nomial tree of radix 4, in segments"},
    {MpiFamily::open_mpi, "ompi:scatter_allgather", "scatter_allgather", 8, 0, 2, false,
     "scatter, then allgather by recursive doubling"},
    {MpiFamily::open_mpi, "ompi:scatter_allgather_ring", "scatter_allgather_ring", 9, 0, 3, false,
     "scatter, then allgather round a ring"},
    {MpiFamily::mpich, "mpich:binomial", "binomial", 0, 0, 1, false, "a binomial tree"},
    {MpiFamily::mpich, "mpich:scatter_recursive_doubling_allgather", "scatter_recursive_doubling_allgather", 0, 0, 2,
     false, "scatter, then allgather by recursive doubling"},
    {MpiFamily::mpich, "mpich:scatter_ring_allgather", "scatter_ring_allgather", 0, 0, 3, false,
     "scatter, then allgather round a ring"},
    {MpiFamily::mpich, "mpich:kary1", mpich_tree, 0, 1, 0, true, "a chain in rank order, in segments"},
    {MpiFamily::mpich, "mpich:kary2", mpich_tree, 0, 2, 0, true, "a binary tree, in segments"},
    {MpiFamily::mpich, "mpich:kary3", mpich_tree, 0, 3, 0, true, "a tree of three children each, in segments"},
    {MpiFamily::mpich, "mpich:kary4", mpich_tree, 0, 4, 0, true, "a tree of four children each, in segments"},
};

/// As --mpi has it.
inline const char* mpi_name(MpiFamily family) {
    return family == MpiFamily::open_mpi ? "openmpi" : "mpich";
}

/// In sentences.
inline const char* mpi_words(MpiFamily family) {
    return family == MpiFamily::open_mpi ? "Open MPI" : "MPICH";
}

/// What its names begin with.
inline const char* mpi_prefix(MpiFamily family) {
    return family == MpiFamily::open_mpi ? "ompi:" : "mpich:";
}

/// The row of that name; nullptr for other algorithms.
inline const MpiBroadcast* mpi_broadcast_called(const std::string& name) {
    for (const MpiBroadcast& row : mpi_broadcasts) {
        if (name == row.name) return &row;
    }
    return nullptr;
}

}  // namespace bcastgen
