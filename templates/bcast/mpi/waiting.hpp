// Waiting for requests: for any one of a row, or for those that several parts of an engine have under way.
#pragma once

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

/// True if several threads may call MPI at the same time.
inline bool threads_at_once() {
    static const bool answer = [] {
        int level = MPI_THREAD_SINGLE;
        mpi.Query_thread(&level);
        return level == MPI_THREAD_MULTIPLE;
    }();
    return answer;
}

/// MPI_Waitany without a status; MPI error code.
///
/// Open MPI 4.1's own, with several threads in it, can be woken for a request of the call before, which another thread
/// completed late: then none of the present ones has completed, and it goes on with an index that it never set.
inline int wait_any(int count, MPI_Request* requests, int* index) {
    if (built_for != MpiFamily::open_mpi || !threads_at_once()) {
        return mpi.Waitany(count, requests, index, MPI_STATUS_IGNORE);
    }
    while (true) {
        int found = 0;
        const int error = mpi.Testany(count, requests, index, &found, MPI_STATUS_IGNORE);
        if (error != MPI_SUCCESS || found != 0) return error;
        mpi.yield();
    }
}

/// Looks once whether any request has completed: `index`, or MPI_UNDEFINED if none has. MPI error code.
inline int test_any(int count, MPI_Request* requests, int* index) {
    int found = 0;
    const int error = mpi.Testany(count, requests, index, &found, MPI_STATUS_IGNORE);
    if (found == 0) *index = MPI_UNDEFINED;
    return error;
}

/// Waits until the request has completed, or until MPI_Wtime reaches `until_s`. `completed`: which. MPI error code.
inline int wait_until(MPI_Request* request, double until_s, bool& completed) {
    while (true) {
        int found = 0;
        const int error = mpi.Test(request, &found, MPI_STATUS_IGNORE);
        completed = found != 0;
        if (error != MPI_SUCCESS || completed || mpi.Wtime() >= until_s) return error;
        mpi.yield();
    }
}

/// Requests of one owner, who looks at `completed` and resets it.
struct Requests {
    std::vector<MPI_Request> handles;
    std::vector<char> completed;  ///< by request: completed and not yet taken

    void reset(std::size_t count) {
        handles.assign(count, mpi.request_null);
        completed.assign(count, 0);
    }
    /// True once after the request has completed.
    bool take(std::size_t index) {
        if (completed[index] == 0) return false;
        completed[index] = 0;
        return true;
    }
    [[nodiscard]] bool idle() const {
        for (const MPI_Request& handle : handles) {
            if (handle != mpi.request_null) return false;
        }
        return true;
    }
};

inline constexpr double for_ever = std::numeric_limits<double>::infinity();

/// The requests to wait for next.
class WaitSet {
  public:
    void clear() {
        handles_.clear();
        owners_.clear();
    }

    /// Adds those that are under way.
    void add(Requests& requests) {
        for (std::size_t i = 0; i < requests.handles.size(); ++i) {
            if (requests.handles[i] == mpi.request_null) continue;
            handles_.push_back(requests.handles[i]);
            owners_.emplace_back(&requests, i);
        }
    }

    /// Waits until one has completed or MPI_Wtime reaches `until_s`, and tells the owners of all that have by then.
    /// MPI error code; it is an error to wait for nothing for ever.
    int wait(double until_s) {
        const int count = static_cast<int>(handles_.size());
        int index = MPI_UNDEFINED;
        if (until_s == for_ever) {
            const int error = wait_any(count, handles_.data(), &index);
            if (error != MPI_SUCCESS) return error;
            return tell(index) ? MPI_SUCCESS : MPI_ERR_INTERN;
        }
        bool any = false;
        while (true) {
            index = MPI_UNDEFINED;
            if (count > 0) {
                const int error = test_any(count, handles_.data(), &index);
                if (error != MPI_SUCCESS) return error;
            }
            const bool another = tell(index);
            any = any || another;
            if (another) continue;
            if (any || mpi.Wtime() >= until_s) return MPI_SUCCESS;
            mpi.yield();
        }
    }

  private:
    /// True if `index` is a request's.
    bool tell(int index) {
        if (index == MPI_UNDEFINED) return false;
        const auto& [owner, at] = owners_[static_cast<std::size_t>(index)];
        owner->handles[at] = mpi.request_null;
        owner->completed[at] = 1;
        return true;
    }

    std::vector<MPI_Request> handles_;
    std::vector<std::pair<Requests*, std::size_t>> owners_;
};

}  // namespace bcast
