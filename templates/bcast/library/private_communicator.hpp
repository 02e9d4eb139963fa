// Making a private communicator out of the user's.
#pragma once

#include <cstddef>
#include <cstdlib>

#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

/// False if an MPI that makes a communicator might fail for want of memory, with the other ranks waiting for it.
inline bool memory_is_left() {
    constexpr std::size_t needed_bytes = std::size_t{1} << 20;
    void* volatile memory = std::malloc(needed_bytes);  // volatile: else compilers do not even ask
    std::free(memory);
    return memory != nullptr;
}

/// MPI_TAG_UB, which Open MPI tells on MPI_COMM_WORLD alone; that is not there in a program that uses sessions only.
inline int largest_tag(MPI_Comm comm) {
    int initialised = 0;
    mpi.Initialized(&initialised);
    if (initialised != 0) comm = mpi.comm_world;
    void* value = nullptr;
    int found = 0;
    constexpr int promised = 32767;
    const int error = insist([&] { return mpi.Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&value), &found); });
    return error == MPI_SUCCESS && found != 0 ? *static_cast<const int*>(value) : promised;
}

/// Calls `call` with the error handler of `user` put aside, unless MPI keeps it to itself: an MPI out of communicators
/// must not end the program.
template <class Call>
void with_errors_returned(MPI_Comm user, Call call) {
    MPI_Errhandler users{};
    const bool known = insist([&] { return mpi.Comm_get_errhandler(user, &users); }) == MPI_SUCCESS;
    if (known) insist([&] { return mpi.Comm_set_errhandler(user, mpi.errors_return); });
    call();
    if (!known) return;
    insist([&] { return mpi.Comm_set_errhandler(user, users); });
    insist([&] { return mpi.Errhandler_free(&users); });
}

/// The group of `user`; false if MPI refuses it for good.
inline bool take_group(MPI_Comm user, MPI_Group& group) {
    bool taken = false;
    with_errors_returned(user, [&] { taken = insist([&] { return mpi.Comm_group(user, &group); }) == MPI_SUCCESS; });
    return taken;
}

/// A communicator of the same ranks, of their `group`, which goes. MPI_Comm_dup would call the user's attribute copy
/// functions; this does not.
inline bool make_private(MPI_Comm user, MPI_Group group, MPI_Comm& comm) {
    bool made = false;
    with_errors_returned(user, [&] { made = mpi.Comm_create(user, group, &comm) == MPI_SUCCESS; });
    insist([&] { return mpi.Group_free(&group); });
    return made && insist([&] { return mpi.Comm_set_errhandler(comm, mpi.errors_return); }) == MPI_SUCCESS;
}

/// True if errors of `user` end the job.
inline bool errors_are_fatal(MPI_Comm user) {
    MPI_Errhandler users{};
    if (insist([&] { return mpi.Comm_get_errhandler(user, &users); }) != MPI_SUCCESS) return false;
    const bool fatal = users == mpi.errors_are_fatal;
    insist([&] { return mpi.Errhandler_free(&users); });
    return fatal;
}

}  // namespace bcast
