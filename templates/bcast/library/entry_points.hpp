// The symbols that programs call. Included once, by mpi_bcast.cpp.
//
// A library built for one MPI may find itself preloaded under another, whose handles have another size. So the entry
// points take handles as whole machine words, pass them on as they came when the MPI is a foreign one, and only else
// turn them into the types of <mpi.h>; that is why they are given MPI's names by asm labels, beside the prototypes that
// <mpi.h> declares.
//
// Fortran: MPICH's bindings (mpif.h, mpi, mpi_f08) all arrive in the C MPI_Bcast, so nothing is exported for them. Open
// MPI's call PMPI_Bcast: mpi_bcast_ comes from mpif.h and the mpi module, ompi_bcast_f from mpi_f08.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "bcast/library/broadcast.hpp"

namespace bcast {

namespace detail {

using Word = std::uintptr_t;

enum class Standing { foreign, served };

/// Binds to the MPI of this process, once. A foreign or incomplete MPI gets every call untouched.
inline Standing standing() {
    static const Standing once = [] {
        if (running_on() != built_for || !bind_mpi()) return Standing::foreign;
        take_handles();
        return Standing::served;
    }();
    return once;
}

/// broadcast(), out of which no exception goes to a caller in C or Fortran. Memory that was refused again and again
/// leaves no way to tell the other ranks, which may be waiting for this one.
template <class Native>
int serve(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm, Native native) {
    try {
        return broadcast(buffer, count, type, root, comm, native);
    } catch (const std::bad_alloc&) {
        std::fputs("bcastgen: there is no memory left for a broadcast; this rank ends the job\n", stderr);
        mpi.Abort(comm, MPI_ERR_NO_MEM);
        return MPI_ERR_NO_MEM;
    }
}

template <class Handle>
Handle handle_of(Word word) {
    if constexpr (sizeof(Handle) < sizeof(Word)) {
        return static_cast<Handle>(static_cast<int>(word));  // an int: the upper half of the word is arbitrary
    } else {
        return reinterpret_cast<Handle>(word);
    }
}

#if BCAST_LATE_BINDING

/// The MPI's own function of that name, as a function of machine words.
template <class Function>
Function foreign_function(const char* name) {
    void* found = find_mpi_symbol(name);
    if (found == nullptr) {
        std::fprintf(stderr, "bcastgen: a broadcast was called, but no MPI library with %s is loaded\n", name);
        std::abort();
    }
    return reinterpret_cast<Function>(found);
}

#endif

}  // namespace detail

}  // namespace bcast

extern "C" {

#if BCAST_LATE_BINDING

#define BCAST_EXPORT __attribute__((visibility("default"), used))

BCAST_EXPORT int bcast_entry(void* buffer, int count, bcast::detail::Word type, int root,
                             bcast::detail::Word comm) __asm__("MPI_Bcast");

int bcast_entry(void* buffer, int count, bcast::detail::Word type, int root, bcast::detail::Word comm) {
    using namespace bcast::detail;
    if (standing() == Standing::foreign) {
        using Bcast = int (*)(void*, int, Word, int, Word);
        static const auto pmpi_bcast = foreign_function<Bcast>("PMPI_Bcast");
        return pmpi_bcast(buffer, count, type, root, comm);
    }
    const auto mpi_type = handle_of<MPI_Datatype>(type);
    const auto mpi_comm = handle_of<MPI_Comm>(comm);
    return bcast::detail::serve(buffer, count, mpi_type, root, mpi_comm, [&](std::int64_t n) {
        return bcast::mpi.Bcast(buffer, static_cast<int>(n), mpi_type, root, mpi_comm);
    });
}

#if MPI_VERSION >= 4

BCAST_EXPORT int bcast_entry_c(void* buffer, MPI_Count count, bcast::detail::Word type, int root,
                               bcast::detail::Word comm) __asm__("MPI_Bcast_c");

int bcast_entry_c(void* buffer, MPI_Count count, bcast::detail::Word type, int root, bcast::detail::Word comm) {
    using namespace bcast::detail;
    if (standing() == Standing::foreign) {
        using Bcast = int (*)(void*, MPI_Count, Word, int, Word);
        static const auto pmpi_bcast = foreign_function<Bcast>("PMPI_Bcast_c");
        return pmpi_bcast(buffer, count, type, root, comm);
    }
    const auto mpi_type = handle_of<MPI_Datatype>(type);
    const auto mpi_comm = handle_of<MPI_Comm>(comm);
    return bcast::detail::serve(buffer, count, mpi_type, root, mpi_comm, [&](std::int64_t n) {
        return bcast::mpi.Bcast_c(buffer, n, mpi_type, root, mpi_comm);
    });
}

#endif

#else

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    bcast::detail::standing();
    return bcast::detail::serve(buffer, count, type, root, comm, [&](std::int64_t n) {
        return bcast::mpi.Bcast(buffer, static_cast<int>(n), type, root, comm);
    });
}

#if MPI_VERSION >= 4

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
    bcast::detail::standing();
    return bcast::detail::serve(buffer, count, type, root, comm,
                                [&](std::int64_t n) { return bcast::mpi.Bcast_c(buffer, n, type, root, comm); });
}

#endif

#endif

#ifdef OPEN_MPI

// Fortran's MPI_BOTTOM is a variable; which of these spellings the program's compiler uses is not ours to know.
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_bottom __attribute__((weak));
extern int mpi_fortran_bottom__ __attribute__((weak));
extern int MPI_FORTRAN_BOTTOM __attribute__((weak));

BCAST_EXPORT void ompi_bcast_f(char* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm,
                               MPI_Fint* error);

void ompi_bcast_f(char* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, MPI_Fint* error) {
    using namespace bcast::detail;
    if (standing() == Standing::foreign) {
        using FortranBcast = void (*)(char*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
        static const auto pmpi_bcast = foreign_function<FortranBcast>("pmpi_bcast_");
        return pmpi_bcast(buffer, count, type, root, comm, error);
    }
    const void* const bottoms[] = {&mpi_fortran_bottom_, &mpi_fortran_bottom, &mpi_fortran_bottom__,
                                   &MPI_FORTRAN_BOTTOM};
    void* data = buffer;
    for (const void* bottom : bottoms) {
        if (bottom != nullptr && data == bottom) data = MPI_BOTTOM;
    }
    MPI_Datatype mpi_type = bcast::mpi.Type_f2c(*type);
    MPI_Comm mpi_comm = bcast::mpi.Comm_f2c(*comm);
    const int result = bcast::detail::serve(data, *count, mpi_type, *root, mpi_comm, [&](std::int64_t n) {
        return bcast::mpi.Bcast(data, static_cast<int>(n), mpi_type, *root, mpi_comm);
    });
    if (error != nullptr) *error = result;
}

#define BCAST_FORTRAN_NAME(name)                                                                          \
    BCAST_EXPORT void name(char* buffer, MPI_Fint* count, MPI_Fint* type, MPI_Fint* root, MPI_Fint* comm, \
                           MPI_Fint* error) __attribute__((alias("ompi_bcast_f")));
BCAST_FORTRAN_NAME(mpi_bcast)
BCAST_FORTRAN_NAME(mpi_bcast_)
BCAST_FORTRAN_NAME(mpi_bcast__)
BCAST_FORTRAN_NAME(MPI_BCAST)
#undef BCAST_FORTRAN_NAME

#endif

#ifdef BCAST_EXPORT
#undef BCAST_EXPORT
#endif

}  // extern "C"
