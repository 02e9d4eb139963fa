// What a datatype says of memory: how many bytes it has, and whether they lie in a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

/// Bytes of one element of the types that most messages have, of which nothing need be asked of MPI: their elements lie
/// in order. 0: of another type.
inline std::size_t basic_bytes(MPI_Datatype type) {
    if (type == mpi.byte || type == mpi.char_type) return 1;
    if (type == mpi.double_type) return sizeof(double);
    if (type == mpi.int_type) return sizeof(int);
    return type == mpi.float_type ? sizeof(float) : 0;
}

/// Bytes of one element of `type`; -1 if MPI does not know such a type.
inline std::int64_t element_bytes_of(MPI_Datatype type) {
    if (const std::size_t bytes = basic_bytes(type)) return static_cast<std::int64_t>(bytes);
    int size = 0;
    if (insist([&] { return mpi.Type_size(type, &size); }) != MPI_SUCCESS) return -1;
    if (size != MPI_UNDEFINED) return size;
    MPI_Count large = 0;  // 2 GiB and more
    const int error = insist([&] { return mpi.Type_size_x(type, &large); });
    return error == MPI_SUCCESS ? static_cast<std::int64_t>(large) : -1;
}

inline bool lies_in_order(MPI_Datatype type);

namespace detail {

/// How a datatype was made: MPI_Type_get_contents. Frees the types it was made of, unless they are predefined (those
/// are not ours to free).
class Construction {
  public:
    explicit Construction(MPI_Datatype type) {
        int integers = 0;
        int addresses = 0;
        int datatypes = 0;
        if (mpi.Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner) != MPI_SUCCESS) return;
        if (combiner == MPI_COMBINER_NAMED) return;
        numbers.resize(static_cast<std::size_t>(integers) + 1);
        displacements.resize(static_cast<std::size_t>(addresses) + 1);
        types.assign(static_cast<std::size_t>(datatypes), mpi.datatype_null);
        if (mpi.Type_get_contents(type, integers, addresses, datatypes, numbers.data(), displacements.data(),
                                  types.data()) != MPI_SUCCESS) {
            combiner = MPI_UNDEFINED;
            types.clear();
        }
    }
    Construction(const Construction&) = delete;
    Construction& operator=(const Construction&) = delete;
    ~Construction() {
        for (MPI_Datatype& type : types) {
            int unused[3] = {};
            int inner = MPI_COMBINER_NAMED;
            insist([&] { return mpi.Type_get_envelope(type, &unused[0], &unused[1], &unused[2], &inner); });
            if (inner != MPI_COMBINER_NAMED) insist([&] { return mpi.Type_free(&type); });
        }
    }

    int combiner = MPI_UNDEFINED;
    Row<int> numbers;
    Row<MPI_Aint> displacements;
    Row<MPI_Datatype> types;
};

/// A struct whose members follow each other without gaps, as programs build them for counts that no int holds.
inline bool members_lie_in_order(const Construction& made, MPI_Aint begin) {
    for (std::size_t i = 0; i < made.types.size(); ++i) {
        MPI_Aint lower = 0;
        MPI_Aint extent = 0;
        if (mpi.Type_get_extent(made.types[i], &lower, &extent) != MPI_SUCCESS) return false;
        const MPI_Aint elements = made.numbers[i + 1];
        if (elements == 0) continue;
        if (made.displacements[i] + lower != begin || !lies_in_order(made.types[i])) return false;
        begin += elements * extent;
    }
    return true;
}

}  // namespace detail

/// True if any number of elements of this type are consecutive bytes in the order of the type map. Size and extent
/// alone do not tell: an indexed type may visit its blocks in any order. Decides for the constructors that often
/// describe memory without holes; says no to all others, which is always safe.
inline bool lies_in_order(MPI_Datatype type) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    if (mpi.Type_get_extent(type, &lower, &extent) != MPI_SUCCESS || element_bytes_of(type) != extent) return false;
    const detail::Construction made(type);
    switch (made.combiner) {
        case MPI_COMBINER_NAMED:
            return true;
        case MPI_COMBINER_DUP:
        case MPI_COMBINER_CONTIGUOUS:
            return lies_in_order(made.types[0]);
        case MPI_COMBINER_VECTOR:  // count, blocklength, stride
            return (made.numbers[0] == 1 || made.numbers[1] == made.numbers[2]) && lies_in_order(made.types[0]);
        case MPI_COMBINER_STRUCT:
            return detail::members_lie_in_order(made, lower);
        default:
            return false;
    }
}

}  // namespace bcast
