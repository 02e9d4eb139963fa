// Waiting for any one of several requests.
#pragma once

#include <sched.h>

#include "mpi_library.hpp"

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
        sched_yield();
    }
}

}  // namespace bcast
