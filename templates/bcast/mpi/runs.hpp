// Datatypes whose content lies in runs of one length at one distance: a column of a matrix, a part of a grid, members
// of structs. What is where in them is simple enough to copy any part of a message by itself, in any order, while other
// parts travel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bcast/mpi/datatype.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

/// Where the content of a datatype's element lies: `count` runs of `bytes` each, `distance` bytes from one's beginning
/// to the next one's, the first `offset` bytes from the element's address. No runs: it lies otherwise.
struct Runs {
    std::int64_t count = 0;
    std::size_t bytes = 0;
    MPI_Aint offset = 0;
    MPI_Aint distance = 0;
};

/// So many of them, each `distance` bytes from the one before. No runs if that is not regular.
inline Runs repeated(Runs runs, std::int64_t times, MPI_Aint distance) {
    if (runs.count == 0 || times <= 0) return {};
    if (times == 1) return runs;
    if (runs.count == 1 && distance == static_cast<MPI_Aint>(runs.bytes)) {
        runs.bytes *= static_cast<std::size_t>(times);
        return runs;
    }
    if (runs.count > 1 && distance != runs.count * runs.distance) return {};
    if (runs.count == 1) runs.distance = distance;
    runs.count *= times;
    return runs;
}

inline Runs runs_of(MPI_Datatype type);

namespace detail {

/// MPI_Type_create_subarray: a rectangular part of an array of `inner` elements.
inline Runs subarray_runs(const Construction& made, Runs inner, MPI_Aint extent) {
    const auto dimensions = static_cast<std::size_t>(made.numbers[0]);
    const int* const sizes = &made.numbers[1];
    const int* const parts = sizes + dimensions;
    const int* const starts = parts + dimensions;
    const bool last_is_nearest = starts[dimensions] == MPI_ORDER_C;
    for (std::size_t i = 0; i < dimensions; ++i) {
        const std::size_t at = last_is_nearest ? dimensions - 1 - i : i;
        inner = repeated(inner, parts[at], extent);
        inner.offset += starts[at] * extent;
        extent *= sizes[at];
    }
    return inner;
}

}  // namespace detail

/// How the content of one element of this type lies, for the constructors that describe parts of arrays; no runs for
/// all others.
inline Runs runs_of(MPI_Datatype type) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    if (lies_in_order(type)) {
        if (mpi.Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) return {};
        return {1, static_cast<std::size_t>(extent), lower, extent};
    }
    const detail::Construction made(type);
    if (made.types.size() != 1) return {};
    const Runs inner = runs_of(made.types[0]);
    if (inner.count == 0 || mpi.Type_get_extent(made.types[0], &lower, &extent) != MPI_SUCCESS) return {};
    switch (made.combiner) {
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_RESIZED:
            return inner;
        case MPI_COMBINER_CONTIGUOUS:
            return repeated(inner, made.numbers[0], extent);
        case MPI_COMBINER_VECTOR:  // count, blocklength, stride
            return repeated(repeated(inner, made.numbers[1], extent), made.numbers[0], made.numbers[2] * extent);
        case MPI_COMBINER_HVECTOR:
            return repeated(repeated(inner, made.numbers[1], extent), made.numbers[0], made.displacements[0]);
        case MPI_COMBINER_SUBARRAY:
            return detail::subarray_runs(made, inner, extent);
        default:
            return {};
    }
}

/// Calls `copy(address, bytes)` for each piece of the content's bytes `begin` up to `end`, in order, of elements with
/// such runs that follow each other every `extent` bytes from `base` on.
template <class Copy>
void for_runs(char* base, const Runs& runs, MPI_Aint extent, std::size_t begin, std::size_t end, Copy copy) {
    const std::size_t number = begin / runs.bytes;
    std::size_t within = begin % runs.bytes;
    auto element = static_cast<std::int64_t>(number) / runs.count;
    auto run = static_cast<std::int64_t>(number) % runs.count;
    while (begin < end) {
        const std::size_t bytes = std::min(runs.bytes - within, end - begin);
        copy(base + element * extent + runs.offset + run * runs.distance + static_cast<MPI_Aint>(within), bytes);
        begin += bytes;
        within = 0;
        if (++run == runs.count) {
            run = 0;
            ++element;
        }
    }
}

}  // namespace bcast
