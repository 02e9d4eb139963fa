// Requests: beginning them, and waiting for any one of a row or for those that several parts of an engine have under
// way.
//
// A call of MPI's that fails has done nothing, so it is made again, a few times. What ends badly has ended all the
// same: its owner hears of it as of the others, and goes on. So an error that a function here returns means that MPI
// cannot be used any more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

inline constexpr int most_calls = 4;  ///< of a call that fails, for what one call should do

/// Makes a call of MPI's, again if it fails, but not for ever. Its MPI error code.
template <class Call>
int insist(Call call) {
    int error = call();
    for (int calls = 1; error != MPI_SUCCESS && calls < most_calls; ++calls) error = call();
    return error;
}

/// The same for a collective call. One that fails may have done its work, or not have begun it while the others wait
/// for this rank: `written()` tells by what it has written.
template <class Call, class Written>
int insist_together(Call call, Written written) {
    return insist([&] {
        const int error = call();
        return written() ? MPI_SUCCESS : error;
    });
}

/// Collective: all ranks' numbers, none of them the least there is, reduced to one. False if MPI fails for good.
inline bool reduce(int mine, MPI_Op operation, MPI_Comm comm, int& all) {
    constexpr int unwritten = std::numeric_limits<int>::min();
    all = unwritten;
    return insist_together([&] { return mpi.Allreduce(&mine, &all, 1, mpi.int_type, operation, comm); },
                           [&] { return all != unwritten; }) == MPI_SUCCESS;
}

/// True if several threads may call MPI at the same time.
inline bool threads_at_once() {
    static const bool answer = [] {
        int level = MPI_THREAD_SINGLE;
        mpi.Query_thread(&level);
        return level == MPI_THREAD_MULTIPLE;
    }();
    return answer;
}

/// MPI_Waitany; MPI error code.
///
/// Open MPI 4.1's own, with several threads in it, can be woken for a request of the call before, which another thread
/// completed late: then none of the present ones has completed, and it goes on with an index that it never set.
inline int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    if (built_for != MpiFamily::open_mpi || !threads_at_once()) {
        return mpi.Waitany(count, requests, index, status);
    }
    while (true) {
        int found = 0;
        const int error = mpi.Testany(count, requests, index, &found, status);
        if (error != MPI_SUCCESS || found != 0) return error;
        mpi.yield();
    }
}

/// Looks once whether any request has completed: `index`, or MPI_UNDEFINED if none has. MPI error code.
inline int test_any(int count, MPI_Request* requests, int* index, MPI_Status* status) {
    int found = 0;
    const int error = mpi.Testany(count, requests, index, &found, status);
    if (error == MPI_SUCCESS && found == 0) *index = MPI_UNDEFINED;
    return error;
}

/// Waits until the request has completed, or until MPI_Wtime reaches `until_s`. `completed`: which. MPI error code.
inline int wait_until(MPI_Request* request, double until_s, bool& completed) {
    while (true) {
        int found = 0;
        const int error = insist([&] {
            const int failed = mpi.Test(request, &found, MPI_STATUS_IGNORE);
            if (failed != MPI_SUCCESS && *request == mpi.request_null) found = 1;  // it has ended, if badly
            return found != 0 ? MPI_SUCCESS : failed;
        });
        completed = found != 0;
        if (error != MPI_SUCCESS || completed || mpi.Wtime() >= until_s) return error;
        mpi.yield();
    }
}

/// The same, for as long as it takes.
inline int wait_for(MPI_Request* request) {
    return insist([&] {
        const int error = mpi.Wait(request, MPI_STATUS_IGNORE);
        return *request == mpi.request_null ? MPI_SUCCESS : error;
    });
}

/// How many bytes came; -1 if MPI does not tell.
inline int bytes_of(const MPI_Status& status) {
    int count = -1;
    if (insist([&] { return mpi.Get_count(&status, mpi.byte, &count); }) != MPI_SUCCESS) return -1;
    return count;
}

/// Whether to look at a message first where the choice is to receive it into other memory and copy it: not where time
/// passes only if it is said to, for there looks take time and copies none.
inline bool looks_pay() {
    return mpi.nap == nullptr;
}

/// Waits until a message from rank `from` can be received: how many `bytes` it has. MPI error code.
inline int look_at_next(int from, MPI_Comm comm, std::size_t& bytes) {
    MPI_Status status{};
    const int error = insist([&] { return mpi.Probe(from, MPI_ANY_TAG, comm, &status); });
    if (error != MPI_SUCCESS) return error;
    const int count = bytes_of(status);
    bytes = static_cast<std::size_t>(std::max(0, count));
    return count < 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/// How a request has ended.
enum class Ended : char { not_yet, well, badly };

/// Requests of one owner, each in a place of its own. The owner begins them, and takes each when it has ended. An MPI
/// tells the first of a row that has ended, so sends belong before receives: a rank whose receives end as fast as it
/// can take them would not see that it may send again.
class Requests {
  public:
    /// So many places, nothing in them; all that was begun has been taken.
    void reset(std::size_t count) {
        count_ = count;
        if (count > handles_.size()) grow();
    }
    /// Whether the owner will ask how many bytes came.
    void count_bytes(bool wanted) { counts_bytes_ = wanted; }
    [[nodiscard]] std::size_t size() const { return count_; }

    /// MPI error code: nothing was begun.
    int receive(std::size_t at, void* to, int bytes, int from, int tag, MPI_Comm comm) {
        const int error = insist([&] { return mpi.Irecv(to, bytes, mpi.byte, from, tag, comm, &handles_[at]); });
        if (error != MPI_SUCCESS) return error;
        states_[at] = State::receives;
        begun_[at] = ++receives_;
        return error;
    }
    int send(std::size_t at, const void* data, int bytes, int to, int tag, MPI_Comm comm) {
        const int error = insist([&] { return mpi.Isend(data, bytes, mpi.byte, to, tag, comm, &handles_[at]); });
        if (error == MPI_SUCCESS) states_[at] = State::sends;
        return error;
    }
    /// A send that ends only once it is being received.
    int send_received(std::size_t at, const void* data, int bytes, int to, int tag, MPI_Comm comm) {
        const int error = insist([&] { return mpi.Issend(data, bytes, mpi.byte, to, tag, comm, &handles_[at]); });
        if (error == MPI_SUCCESS) states_[at] = State::sends;
        return error;
    }

    /// How the request has ended, once after it has.
    Ended take(std::size_t at) {
        const State state = states_[at];
        if (state < State::ended) return Ended::not_yet;
        states_[at] = State::none;
        return state == State::ended ? Ended::well : Ended::badly;
    }
    /// Of a receive that was taken last from this place: its tag; unknown_tag if it ended badly and nothing is known.
    [[nodiscard]] int tag(std::size_t at) const { return tags_[at]; }
    /// And how many bytes came, if they are counted; -1 if nothing is known.
    [[nodiscard]] int bytes(std::size_t at) const { return bytes_[at]; }
    static constexpr int unknown_tag = -1;

    /// The error that a request ended with last.
    [[nodiscard]] int error() const { return error_; }

    [[nodiscard]] bool is_under_way(std::size_t at) const {
        return states_[at] == State::receives || states_[at] == State::sends;
    }
    [[nodiscard]] bool free(std::size_t at) const { return states_[at] == State::none; }
    [[nodiscard]] bool idle() const {
        return std::all_of(states_.begin(), states_.end(), [](State state) { return state == State::none; });
    }

    /// Waits until another has ended. MPI error code; it is an error to wait for nothing.
    int wait() {
        Look look;
        const int error = wait_any(static_cast<int>(count_), handles_.data(), &look.index, &look.status);
        if (error == MPI_SUCCESS && look.index != MPI_UNDEFINED) return note(look);
        return look_again(error == MPI_SUCCESS ? MPI_ERR_INTERN : error, look, [this](Look& again) {
            const int code = wait_any(static_cast<int>(count_), handles_.data(), &again.index, &again.status);
            return code == MPI_SUCCESS && again.index == MPI_UNDEFINED ? MPI_ERR_INTERN : code;
        });
    }

    /// Looks whether another has ended. MPI error code.
    int test(bool& any) {
        Look look;
        const int error = test_any(static_cast<int>(count_), handles_.data(), &look.index, &look.status);
        any = error != MPI_SUCCESS || look.index != MPI_UNDEFINED;
        if (error == MPI_SUCCESS) return any ? note(look) : error;
        return look_again(error, look, [this](Look& again) {
            return test_any(static_cast<int>(count_), handles_.data(), &again.index, &again.status);
        });
    }

    /// For who waits for it together with others: its handle, and that it has ended.
    [[nodiscard]] MPI_Request handle(std::size_t at) const { return handles_[at]; }
    void note_ended(std::size_t at, const MPI_Status& status) {
        handles_[at] = mpi.request_null;
        note(at, status);
    }
    void note_failed(std::size_t at, const MPI_Status& status, int error) {
        note_ended(at, status);
        states_[at] = State::failed;
        error_ = error;
    }

    /// Lets go of all that is under way: MPI is of no more use, or the owner cannot go on. The last receive first,
    /// since a message that comes meanwhile goes to the next that is left, which may be too short for it.
    void abandon() {
        for (std::size_t at = newest_receive(); at < handles_.size(); at = newest_receive()) {
            mpi.Cancel(&handles_[at]);
            mpi.Request_free(&handles_[at]);
            states_[at] = State::none;
        }
        for (std::size_t at = 0; at < handles_.size(); ++at) {
            if (states_[at] == State::sends) mpi.Request_free(&handles_[at]);
            states_[at] = State::none;
        }
    }

    static MPI_Status nothing_known() {
        MPI_Status status{};
        status.MPI_TAG = unknown_tag;
        return status;
    }

  private:
    enum class State : char { none, receives, sends, ended, failed };

    /// What a wait or a test has found.
    struct Look {
        Look() { status.MPI_TAG = unknown_tag; }
        int index = MPI_UNDEFINED;
        MPI_Status status;
    };

    int note(const Look& look) {
        note(static_cast<std::size_t>(look.index), look.status);
        return MPI_SUCCESS;
    }
    void note(std::size_t at, const MPI_Status& status) {
        states_[at] = State::ended;
        tags_[at] = status.MPI_TAG;
        if (counts_bytes_) bytes_[at] = bytes_of(status);
    }

    /// As many as there are places if none is under way.
    [[nodiscard]] std::size_t newest_receive() const {
        std::size_t newest = handles_.size();
        for (std::size_t at = 0; at < handles_.size(); ++at) {
            if (states_[at] != State::receives) continue;
            if (newest == handles_.size() || begun_[at] > begun_[newest]) newest = at;
        }
        return newest;
    }

    /// After a wait or a test that has failed: it may have ended requests all the same. If it has not, it is made
    /// again.
    template <class Again>
    int look_again(int error, Look look, Again again) {
        for (int calls = 1; calls < most_calls; ++calls) {
            if (note_vanished(look, error)) return MPI_SUCCESS;
            look = Look();
            error = again(look);
            if (error == MPI_SUCCESS) return look.index == MPI_UNDEFINED ? error : note(look);
        }
        return note_vanished(look, error) ? MPI_SUCCESS : error;
    }
    bool note_vanished(const Look& look, int error) {
        bool any = false;
        for (std::size_t at = 0; at < count_; ++at) {
            if (!is_under_way(at) || handles_[at] != mpi.request_null) continue;
            note_failed(at, static_cast<int>(at) == look.index ? look.status : nothing_known(), error);
            any = true;
        }
        return any;
    }

    void grow() {
        handles_.resize(count_, mpi.request_null);
        states_.resize(count_, State::none);
        begun_.resize(count_);
        tags_.resize(count_);
        bytes_.resize(count_);
    }

    std::size_t count_ = 0;
    Row<MPI_Request> handles_;
    Row<State> states_;
    Row<std::uint64_t> begun_;  // as which receive
    std::uint64_t receives_ = 0;
    Row<int> tags_;   // of those that have ended
    Row<int> bytes_;  // the same, if they are counted
    bool counts_bytes_ = false;
    int error_ = MPI_SUCCESS;
};

inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// The requests to wait for next, of several owners.
class WaitSet {
  public:
    void clear() {
        handles_.clear();
        owners_.clear();
    }

    /// Adds those that are under way.
    void add(Requests& requests) {
        for (std::size_t at = 0; at < requests.size(); ++at) {
            if (!requests.is_under_way(at)) continue;
            handles_.push_back(requests.handle(at));
            owners_.emplace_back(&requests, at);
        }
    }

    /// Waits until one has ended or MPI_Wtime reaches `until_s`, and tells the owners of all that have by then. MPI
    /// error code; it is an error to wait for nothing for ever.
    int wait(double until_s) {
        const int count = static_cast<int>(handles_.size());
        if (until_s == for_ever) {
            bool any = false;
            const int error = look(
                [&](int* index, MPI_Status* status) { return wait_any(count, handles_.data(), index, status); }, any);
            return error == MPI_SUCCESS && !any ? MPI_ERR_INTERN : error;
        }
        bool any = false;
        while (true) {
            bool another = false;
            if (count > 0) {
                const int error = look(
                    [&](int* index, MPI_Status* status) { return test_any(count, handles_.data(), index, status); },
                    another);
                if (error != MPI_SUCCESS) return error;
            }
            any = any || another;
            if (another) continue;
            if (any || mpi.Wtime() >= until_s) return MPI_SUCCESS;
            mpi.yield();
        }
    }

  private:
    /// As Requests::look. `any`: one has ended at least.
    template <class Look>
    int look(Look wait, bool& any) {
        return insist([&] {
            int index = MPI_UNDEFINED;
            MPI_Status status;
            status.MPI_TAG = Requests::unknown_tag;
            const int error = wait(&index, &status);
            if (error == MPI_SUCCESS) {
                any = index != MPI_UNDEFINED;
                if (any) {
                    const auto& [owner, at] = owners_[static_cast<std::size_t>(index)];
                    owner->note_ended(at, status);
                }
                return error;
            }
            for (std::size_t i = 0; i < handles_.size(); ++i) {
                auto& [owner, at] = owners_[i];
                if (handles_[i] != mpi.request_null || !owner->is_under_way(at)) continue;
                owner->note_failed(at, static_cast<int>(i) == index ? status : Requests::nothing_known(), error);
                any = true;
            }
            return any ? MPI_SUCCESS : error;
        });
    }

    Row<MPI_Request> handles_;
    Row<std::pair<Requests*, std::size_t>> owners_;
};

}  // namespace bcast
