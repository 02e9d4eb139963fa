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
    /// The state of `comm`, set up if this is its first broadcast (collective). nullptr: some rank can keep none, or
    /// `root` is none of its ranks, so that the others may not have been called; use native.
    Communicator* find(MPI_Comm comm, int root) {
        const bool started = started_.load(std::memory_order_acquire) || start();
        void* value = nullptr;
        int found = 0;
        int error = MPI_SUCCESS;
        if (started) error = mpi.Comm_get_attr(comm, keyval_, static_cast<void*>(&value), &found);
        if (error == MPI_SUCCESS && found != 0) return static_cast<Communicator*>(value);
        return begin(comm, root, started, error != MPI_SUCCESS);
    }

  private:
    /// Sets up a communicator whose attribute is not there, unless MPI only `failed` to tell it. Where one rank cannot
    /// keep its state, none does: a communicator is known on all of its ranks or on none.
    Communicator* begin(MPI_Comm comm, int root, bool started, bool failed) {
        if (Communicator* known = failed ? known_by_handle(comm) : nullptr) return known;
        int ranks = 0;
        if (insist([&] { return mpi.Comm_size(comm, &ranks); }) != MPI_SUCCESS || root >= ranks) return nullptr;
        // What this rank cannot do, all ranks must hear of in the set-up.
        const bool watched = started && (process().world || watch_the_end());
        auto communicator = insured([&] {
            auto made = std::make_unique<Communicator>(comm);
            const std::lock_guard<std::mutex> lock(mutex_);
            make_room_for_one(alive_);
            return made;
        });
        const bool kept =
            watched && insist([&] { return mpi.Comm_set_attr(comm, keyval_, communicator.get()); }) == MPI_SUCCESS;
        const bool kept_by_all = communicator->set_up(kept);
        if (!kept) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (alive_.empty() && !process().world) stop();  // nobody will say when MPI ends
            return nullptr;
        }
        Communicator* const known = communicator.release();  // the attribute's from now on
        if (kept_by_all) {
            const std::lock_guard<std::mutex> lock(mutex_);
            alive_.push_back(known);
            return known;
        }
        if (insist([&] { return mpi.Comm_delete_attr(comm, keyval_); }) != MPI_SUCCESS)
            known->spokesman().end_job(MPI_ERR_OTHER);
        return nullptr;
    }

    static void make_room_for_one(std::vector<Communicator*>& communicators) {
        if (communicators.size() == communicators.capacity()) communicators.reserve(2 * communicators.size() + 8);
    }

    /// What `comm` is known by although MPI fails to tell.
    Communicator* known_by_handle(MPI_Comm comm) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Communicator* communicator : alive_) {
            if (communicator->user() == comm) return communicator;
        }
        return nullptr;
    }

    /// False if MPI has no key for attributes.
    bool start() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (started_.load(std::memory_order_relaxed)) return true;
        reserve() = &process().reserve;
        reserve()->renew();
        insured([] { process().begin(); });
        if (insist([this] { return mpi.Comm_create_keyval(copy_nothing, on_delete, &keyval_, this); }) != MPI_SUCCESS) {
            return false;
        }
        started_.store(true, std::memory_order_release);
        return true;
    }

    /// Hangs a callback on MPI_COMM_SELF, if the program has one (a program that uses sessions only has not). False if
    /// MPI refuses.
    bool watch_the_end() {
        int initialised = 0;
        mpi.Initialized(&initialised);
        if (initialised == 0) return true;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (process().world) return true;
        int keyval = MPI_KEYVAL_INVALID;
        if (insist([&] { return mpi.Comm_create_keyval(copy_nothing, on_end, &keyval, this); }) != MPI_SUCCESS) {
            return false;
        }
        process().world = insist([&] { return mpi.Comm_set_attr(mpi.comm_self, keyval, this); }) == MPI_SUCCESS;
        insist([&] { return mpi.Comm_free_keyval(&keyval); });  // goes when the attribute goes
        return process().world;
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
        while (Communicator* communicator = first_alive()) {
            insist([&] { return mpi.Comm_delete_attr(communicator->user(), keyval_); });
            forget(communicator);  // if MPI has not called on_delete
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        process().world = false;
        stop();
    }

    Communicator* first_alive() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return alive_.empty() ? nullptr : alive_.front();
    }

    void stop() {
        if (!started_.load(std::memory_order_relaxed)) return;
        insist([this] { return mpi.Comm_free_keyval(&keyval_); });
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
