// The communicators that the library has state for, and that state as a whole.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "bcast/library/communicator.hpp"
#include "bcast/library/process.hpp"

namespace bcast {

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

/// All that the library keeps in a process.
struct State {
    Process process;
    Communicators communicators;
};

/// The one of this process. Only a simulator, whose ranks share a process, ever changes it: whenever it goes from one
/// rank to another (tests/simulator).
inline State*& state() {
    static State* own = new State;  // never destroyed: MPI may end after static objects do
    return own;
}

inline Process& process() {
    return state()->process;
}

inline Communicators& communicators() {
    return state()->communicators;
}

}  // namespace bcast
