// One call of MPI_Bcast, from the entry point to the algorithm.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "bcast/library/communicator.hpp"
#include "bcast/library/process.hpp"

namespace bcast {

/// A broadcast routine with its segment size compiled in.
using Routine = int (*)(Communicator&, Message&, int root);

/// Broadcasts over the tree of `algorithm` in segments of `segment_bytes` (0: in one piece).
template <Algorithm algorithm, std::size_t segment_bytes>
int pipelined(Communicator& communicator, Message& message, int root) {
    return communicator.run(algorithm, segment_bytes, message, root);
}

struct Instantiation {
    Algorithm algorithm;
    std::size_t segment_bytes;
    Routine routine;
};

/// The routines that the decision table names; defined in mpi_bcast.cpp.
Span<Instantiation> instantiations();

inline int run(Communicator& communicator, const Choice& choice, Message& message, int root) {
    for (const Instantiation& instantiation : instantiations()) {
        if (instantiation.algorithm == choice.algorithm && instantiation.segment_bytes == choice.segment_bytes) {
            return instantiation.routine(communicator, message, root);
        }
    }
    return communicator.run(choice.algorithm, choice.segment_bytes, message, root);  // asked for by the environment
}

/// The communicators that broadcasts have been called on, kept as attributes of theirs.
///
/// Everything begins at the first broadcast and ends in attribute delete callbacks: MPI calls them when a communicator
/// is freed, and at the start of MPI_Finalize for MPI_COMM_SELF, where those still alive are let go.
class Communicators {
  public:
    /// The state of `comm`, set up if this is its first broadcast (collective). nullptr: MPI refused, or `root` is none
    /// of its ranks, so that the others may not have been called; use native.
    Communicator* find(MPI_Comm comm, int root) {
        if (!started_.load(std::memory_order_acquire)) start();
        void* value = nullptr;
        int found = 0;
        if (mpi.Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found) != MPI_SUCCESS) return nullptr;
        if (found != 0) return static_cast<Communicator*>(value);
        int ranks = 0;
        if (mpi.Comm_size(comm, &ranks) != MPI_SUCCESS || root >= ranks) return nullptr;
        if (!process().world) watch_the_end();
        auto communicator = std::make_unique<Communicator>(comm);
        if (mpi.Comm_set_attr(comm, keyval_, communicator.get()) != MPI_SUCCESS) return nullptr;
        const std::lock_guard<std::mutex> lock(mutex_);
        alive_.push_back(communicator.get());
        return communicator.release();
    }

  private:
    void start() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (started_.load(std::memory_order_relaxed)) return;
        process().begin();
        mpi.Comm_create_keyval(copy_nothing, on_delete, &keyval_, this);
        started_.store(true, std::memory_order_release);
    }

    /// Hangs a callback on MPI_COMM_SELF, if the program has one (a program that uses sessions only has not).
    void watch_the_end() {
        int initialised = 0;
        mpi.Initialized(&initialised);
        if (initialised == 0) return;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (process().world) return;
        process().world = true;
        int keyval = MPI_KEYVAL_INVALID;
        mpi.Comm_create_keyval(copy_nothing, on_end, &keyval, this);
        mpi.Comm_set_attr(mpi.comm_self, keyval, this);
        mpi.Comm_free_keyval(&keyval);  // goes when the attribute goes
    }

    static int copy_nothing(MPI_Comm, int, void*, void*, void*, int* flag) {
        *flag = 0;
        return MPI_SUCCESS;
    }

    static int on_delete(MPI_Comm, int, void* value, void* self) {
        auto* communicator = static_cast<Communicator*>(value);
        static_cast<Communicators*>(self)->forget(communicator);
        delete communicator;
        return MPI_SUCCESS;
    }

    static int on_end(MPI_Comm, int, void*, void* self) {
        static_cast<Communicators*>(self)->end();
        return MPI_SUCCESS;
    }

    void forget(Communicator* communicator) {
        const std::lock_guard<std::mutex> lock(mutex_);
        alive_.erase(std::remove(alive_.begin(), alive_.end(), communicator), alive_.end());
        // Without a world to watch, the last communicator may be the last sign of this MPI session: begin anew next
        // time.
        if (alive_.empty() && !process().world) stop();
    }

    void end() {
        std::vector<Communicator*> alive;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            alive = alive_;
        }
        for (Communicator* communicator : alive) mpi.Comm_delete_attr(communicator->user(), keyval_);
        const std::lock_guard<std::mutex> lock(mutex_);
        process().world = false;
        stop();
    }

    void stop() {
        if (!started_.load(std::memory_order_relaxed)) return;
        mpi.Comm_free_keyval(&keyval_);
        process().trace.close();
        started_.store(false, std::memory_order_release);
    }

    std::atomic<bool> started_{false};
    int keyval_ = MPI_KEYVAL_INVALID;
    std::mutex mutex_;
    std::vector<Communicator*> alive_;
};

inline Communicators& communicators() {
    static Communicators* all = new Communicators;  // never destroyed: MPI may end after static objects do
    return *all;
}

namespace detail {

inline double seconds_since_1970() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Broadcasts by a planned algorithm; `choice` becomes what it was in the end. MPI error code, after the communicator's
/// error handler.
inline int planned_broadcast(Communicator& communicator, Message& message, int root, Choice& choice) {
    choice = communicator.possible(choice, message.bytes());
    const int error = run(communicator, choice, message, root);
    if (error == MPI_SUCCESS) return MPI_SUCCESS;
    communicator.decline("a broadcast failed");
    mpi.Comm_call_errhandler(communicator.user(), error);
    return error;
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

/// Broadcasts as the decision table says for the regime of the communicator; notes how long it took.
template <class Native>
int chosen_broadcast(Communicator& communicator, const Call& call, Native native) {
    const bool traced = process().trace.on();
    const double entered_s = mpi.Wtime();
    const double clock_s = traced ? seconds_since_1970() : 0;
    const bool ours = call.bytes > communicator.native_up_to() && call.root < communicator.ranks();
    const bool watched = ours && communicator.watches() && communicator.connect() && communicator.watch();
    Choice choice = communicator.choose(call.bytes);
    Message* message = nullptr;
    if (choice.algorithm != Algorithm::native && ours && communicator.connect() &&
        !communicator.any_on_device(call.buffer)) {
        message =
            communicator.message(call.buffer, call.count, call.type, static_cast<std::size_t>(call.element_bytes));
    }
    if (message == nullptr) choice = Choice{};
    const int error =
        message == nullptr ? native(call.count) : planned_broadcast(communicator, *message, call.root, choice);
    const double took_s = mpi.Wtime() - entered_s;
    if (watched) communicator.watched(call.bytes, took_s, call.root);
    if (traced) {
        process().trace.line({call.bytes, communicator.machines(), communicator.ranks(), communicator.rule(call.bytes),
                              choice, clock_s, took_s, communicator.imbalance(choice),
                              choice.algorithm == Algorithm::multicast ? &communicator.multicast_counts() : nullptr});
    }
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
    if (communicator->native_up_to() == no_limit && !traced) return native(count);
    const std::int64_t element_bytes = element_bytes_of(type);
    if (element_bytes < 0) return native(count);
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
    // Ranks may disagree on how many elements of no size make up no message; Open MPI then hangs.
    if (bytes == 0) count = 0;
    if (bytes <= communicator->native_up_to() && !traced) return native(count);

    return detail::chosen_broadcast(*communicator, {buffer, count, type, root, bytes, element_bytes}, native);
}

}  // namespace bcast
