// What the network between two machines is like, found out by sending over it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/roles/placement.hpp"

namespace bcast {

struct Wire {
    /// Messages of up to so many bytes (a power of two) MPI takes from the sender before the receiver asks for them;
    /// larger ones wait for it (the rendezvous protocol). 0: MPI takes none.
    std::int64_t eager_bytes = 0;
    double seconds_per_byte = 0;  ///< of a large message; 0: not known
};

namespace detail {

/// The two ranks' parts of measuring. They are on different machines if there are two.
class WireProbe {
  public:
    WireProbe(int first, int second, int rank, MPI_Comm comm)
        : other_(rank == first ? second : first), leads_(rank == first), comm_(comm) {}

    Wire measure() {
        bytes_.assign(most_bytes, '\0');
        for (int i = 0; i < 2; ++i) there_and_back(0);  // lets the connection be made
        Wire wire;
        double best_s = std::numeric_limits<double>::infinity();
        for (int i = 0; i < 2; ++i) best_s = std::min(best_s, there_and_back(timed_bytes));
        wire.seconds_per_byte = best_s / static_cast<double>(timed_bytes);
        // Which sizes are taken at once is settled by bisection over powers of two.
        int least = 9;  // 512 bytes
        int most = 21;  // 2 MiB are never
        while (most - least > 1) {
            const int middle = (least + most) / 2;
            (taken_at_once(std::size_t{1} << middle) ? least : most) = middle;
        }
        const bool any = least > 9 || taken_at_once(std::size_t{1} << least);
        wire.eager_bytes = any ? std::int64_t{1} << least : 0;
        return wire;
    }

  private:
    static constexpr int tag = 7;
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;
    static constexpr std::size_t timed_bytes = std::size_t{1} << 16;
    static constexpr double patience_s = 1e-3;  // to copy a message away takes less

    /// Seconds from sending to the empty answer.
    double there_and_back(std::size_t bytes) {
        const double begun_s = mpi.Wtime();
        const int count = static_cast<int>(bytes);
        if (leads_) {
            mpi.Send(bytes_.data(), count, mpi.byte, other_, tag, comm_);
            mpi.Recv(nullptr, 0, mpi.byte, other_, tag, comm_, MPI_STATUS_IGNORE);
        } else {
            mpi.Recv(bytes_.data(), count, mpi.byte, other_, tag, comm_, MPI_STATUS_IGNORE);
            mpi.Send(nullptr, 0, mpi.byte, other_, tag, comm_);
        }
        return mpi.Wtime() - begun_s;
    }

    /// True if a message is gone before its receiver, who waits for a word under another tag first, asks for it. Known
    /// to both.
    bool taken_at_once(std::size_t bytes) {
        const int count = static_cast<int>(bytes);
        int taken = 0;
        if (!leads_) {
            mpi.Recv(&taken, 1, mpi.int_type, other_, tag + 1, comm_, MPI_STATUS_IGNORE);
            mpi.Recv(bytes_.data(), count, mpi.byte, other_, tag, comm_, MPI_STATUS_IGNORE);
            return taken != 0;
        }
        MPI_Request request = mpi.request_null;
        mpi.Isend(bytes_.data(), count, mpi.byte, other_, tag, comm_, &request);
        bool gone = false;
        wait_until(&request, mpi.Wtime() + patience_s, gone);
        taken = gone ? 1 : 0;
        mpi.Send(&taken, 1, mpi.int_type, other_, tag + 1, comm_);
        mpi.Wait(&request, MPI_STATUS_IGNORE);
        return taken != 0;
    }

    int other_;
    bool leads_;
    MPI_Comm comm_;
    std::vector<char> bytes_;
};

}  // namespace detail

/// Collective over `comm`, whose ranks `placement` states: what one pair of them finds out, for all. `known` is what
/// this process has found out before; where all ranks have, nothing is sent again.
inline Wire measure_wire(const Placement& placement, int rank, MPI_Comm comm, const Wire& known) {
    const int mine = known.seconds_per_byte > 0 ? 1 : 0;
    int all = 0;
    mpi.Allreduce(&mine, &all, 1, mpi.int_type, mpi.op_min, comm);
    Wire wire = known;
    const int first = placement.ranks_on.front().front();
    const int second = placement.ranks_on.size() > 1 ? placement.ranks_on[1].front() : placement.ranks_on[0][1];
    if (all == 0 && (rank == first || rank == second)) {
        wire = detail::WireProbe(first, second, rank, comm).measure();
    }
    mpi.Bcast(&wire, sizeof wire, mpi.byte, first, comm);
    return wire;
}

}  // namespace bcast
