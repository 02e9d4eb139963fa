// One call of MPI_Bcast, from the entry point to the algorithm.
#pragma once

#include <chrono>
#include <cstdint>
#include <new>

#include "bcast/library/communicator.hpp"
#include "bcast/library/communicators.hpp"
#include "bcast/library/process.hpp"

namespace bcast {

namespace detail {

inline double seconds_since_1970() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Broadcasts by a planned algorithm that the communicator is connected for. MPI error code, after the communicator's
/// error handler.
inline int planned_broadcast(Communicator& communicator, Message& message, int root, const Choice& choice) {
    struct Witness {
        const Communicator* communicator;
        std::size_t bytes;
    };
    const Witness witness{&communicator, message.bytes()};
    Failure failure;
    failure.whom = &witness;
    failure.tell_length = [](const void* whom, int other, std::size_t bytes, bool exact) {
        const auto* mine = static_cast<const Witness*>(whom);
        mine->communicator->spokesman().tell_length(mine->bytes, other, bytes, exact);
    };
    communicator.run(choice, message, root, failure);
    if (failure.any()) mpi.Comm_call_errhandler(communicator.user(), failure.error);
    return failure.error;
}

/// The arguments of a call, and what follows from them.
struct Call {
    void* buffer;
    std::int64_t count;
    MPI_Datatype type;
    int root;
    std::size_t bytes;
    std::int64_t element_bytes;
};

/// `entered_s` by MPI_Wtime, `clock_s` by the system's clock.
inline void trace(Communicator& communicator, const Call& call, const Choice& choice, double entered_s, double clock_s,
                  double took_s) {
    try {
        process().trace.line({call.bytes, communicator.machines(), communicator.ranks(), call.root,
                              communicator.rule(call.bytes), choice, clock_s, took_s, communicator.imbalance(choice),
                              is_multicast(choice.algorithm) ? &communicator.multicast_counts() : nullptr,
                              process().own_name(), communicator.hops(choice, call.root, call.bytes, entered_s)});
    } catch (const std::bad_alloc&) {  // the line is missing
    }
}

/// Broadcasts as the decision table says for the regime of the communicator; notes how long it took.
template <class Native>
int chosen_broadcast(Communicator& communicator, const Call& call, Native native) {
    const bool traced = process().trace.on();
    const bool timed = traced || communicator.watches();
    const double entered_s = timed ? mpi.Wtime() : 0;
    const double clock_s = traced ? seconds_since_1970() : 0;
    const bool ours = call.bytes > communicator.native_up_to() && call.root < communicator.ranks();
    const bool watched = ours && communicator.watches() && communicator.connect();
    if (watched) communicator.watch();
    Choice choice = communicator.choose(call.bytes);
    Message* message = nullptr;
    if (!is_native(choice.algorithm) && ours && communicator.connect() && !communicator.any_on_device(call.buffer)) {
        choice = communicator.possible(choice, call.bytes);
        if (communicator.connect_for(choice.algorithm)) {
            message =
                communicator.message(call.buffer, call.count, call.type, static_cast<std::size_t>(call.element_bytes));
        }
    }
    if (message == nullptr) choice = Choice{};
    const int error =
        message == nullptr ? native(call.count) : planned_broadcast(communicator, *message, call.root, choice);
    const double took_s = timed ? mpi.Wtime() - entered_s : 0;
    if (watched) communicator.watched(call.bytes, took_s, call.root);
    if (traced) trace(communicator, call, choice, entered_s, clock_s, took_s);
    return error;
}

}  // namespace detail

/// MPI_Bcast. `native(count)` makes the same call, but for the count, on the MPI beneath. MPI error code, after the
/// communicator's error handler.
template <class Native>
int broadcast(void* buffer, std::int64_t count, MPI_Datatype type, int root, MPI_Comm comm, Native native) {
    // A wrong call is MPI's to answer, before anybody is waited for. An intercommunicator has negative roots too.
    if (comm == mpi.comm_null || type == mpi.datatype_null || count < 0 || root < 0) return native(count);
    Communicator* communicator = communicators().find(comm, root);
    if (communicator == nullptr) return native(count);
    const bool traced = process().trace.on();
    if (communicator->native_up_to() == no_limit && !traced && !communicator->checks()) return native(count);
    const std::int64_t element_bytes = element_bytes_of(type);
    if (element_bytes < 0) return native(count);
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
    if (communicator->checks()) {
        if (const int error = communicator->check(bytes, root); error != MPI_SUCCESS) {
            mpi.Comm_call_errhandler(comm, error);
            return error;
        }
    }
    // Ranks may disagree on how many elements of no size make up no message; Open MPI then hangs.
    if (bytes == 0) count = 0;
    if (bytes <= communicator->native_up_to() && !traced) return native(count);

    return detail::chosen_broadcast(*communicator, {buffer, count, type, root, bytes, element_bytes}, native);
}

}  // namespace bcast
