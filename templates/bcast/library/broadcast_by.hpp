// Broadcasts by an algorithm of the caller's choice, whatever the decision table says.
//
// For programs that are compiled together with the library's own sources, to measure or to check one algorithm after
// the other in one job. A program that the library is preloaded into chooses by BCASTGEN_ALGORITHM instead.
#pragma once

#include <cstdint>
#include <string>

#include "bcast/library/broadcast.hpp"

namespace bcast {

/// Sets `comm` up for broadcast_by. Collective; MPI must be initialised. Returns nothing on all ranks if it can be
/// served, else why not.
inline std::string set_up_for_choice(MPI_Comm comm) {
    if (running_on() != built_for || !bind_mpi()) return "this library was built for another MPI";
    take_handles();
    Communicator* communicator = communicators().find(comm, 0);
    if (communicator == nullptr) return "MPI keeps no attributes";
    if (communicator->machines() == 0 || !communicator->connect()) return communicator->rule(0);
    return "";
}

/// MPI_Bcast by `choice`, the same on all ranks, on a communicator that set_up_for_choice found fit. MPI error code,
/// after the communicator's error handler.
inline int broadcast_by(const Choice& choice, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    Communicator* communicator = communicators().find(comm, root);
    const std::int64_t element_bytes = element_bytes_of(type);
    Message* message = nullptr;
    Choice possible = choice;
    if (!is_native(choice.algorithm) && communicator != nullptr && element_bytes > 0 && count > 0 &&
        !communicator->any_on_device(buffer)) {
        possible = communicator->possible(choice, static_cast<std::size_t>(count * element_bytes));
        if (communicator->connect_for(possible.algorithm)) {
            message = communicator->message(buffer, count, type, static_cast<std::size_t>(element_bytes));
        }
    }
    if (message == nullptr) return mpi.Bcast(buffer, count, type, root, comm);
    return detail::planned_broadcast(*communicator, *message, root, possible);
}

}  // namespace bcast
