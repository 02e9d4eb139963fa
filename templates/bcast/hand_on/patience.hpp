// How a rank waits for another rank of its machine that it shares memory with.
#pragma once

#include <unistd.h>

#include <algorithm>

#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

/// Looks again at once for a while, since whoever is awaited mostly writes already. From then on MPI goes on between
/// two looks, with the program's own messages too, and others may have the processor: with more ranks than processors
/// the one that is awaited may be among them.
class Patience {
  public:
    /// `ranks`: on this machine.
    void expect(int ranks) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        looks_at_once_ = BCAST_LATE_BINDING != 0 && ranks <= processors ? most_looks_at_once : 0;
    }

    /// What was awaited has come.
    void found() { looks_ = 0; }

    /// After a look in vain. `comm`: any of the library's own.
    void pause(MPI_Comm comm) {
        if (looks_++ < looks_at_once_) return relax();
        if (mpi.nap != nullptr) return mpi.nap(looks_);
        int waiting = 0;
        mpi.Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &waiting, MPI_STATUS_IGNORE);
        mpi.yield();
    }

  private:
    static constexpr int most_looks_at_once = 2000;

    static void relax() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#elif defined(__aarch64__)
        asm volatile("yield");
#endif
    }

    int looks_at_once_ = 0;
    int looks_ = 0;
};

}  // namespace bcast
