// What the network between two machines is like, found out by sending over it.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "bcast/mpi/memory.hpp"
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

    /// False if there is no memory to measure with.
    bool prepare() {
        if (!make_room(bytes_, most_bytes)) return false;
        std::memset(bytes_.data(), 0, most_bytes);
        return true;
    }

    /// MPI error code: this rank cannot go on, and the other waits for it.
    int measure(Wire& wire) {
        for (int i = 0; i < 2; ++i) there_and_back(0);  // lets the connection be made
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
        return error_;
    }

  private:
    static constexpr int tag = 7;
    static constexpr std::size_t most_bytes = std::size_t{1} << 20;
    static constexpr std::size_t timed_bytes = std::size_t{1} << 16;
    static constexpr double patience_s = 1e-3;  // to copy a message away takes less

    /// Seconds from sending to the empty answer.
    double there_and_back(std::size_t bytes) {
        const double begun_s = mpi.Wtime();
        if (leads_) {
            send(bytes_.data(), bytes, tag);
            receive(nullptr, 0, tag);
        } else {
            receive(bytes_.data(), bytes, tag);
            send(nullptr, 0, tag);
        }
        return mpi.Wtime() - begun_s;
    }

    /// True if a message is gone before its receiver, who waits for a word under another tag first, asks for it. Known
    /// to both.
    bool taken_at_once(std::size_t bytes) {
        int taken = 0;
        if (!leads_) {
            receive(&taken, sizeof taken, tag + 1);
            receive(bytes_.data(), bytes, tag);
            return taken != 0;
        }
        MPI_Request request = mpi.request_null;
        if (error_ != MPI_SUCCESS) return false;
        note(insist(
            [&] { return mpi.Isend(bytes_.data(), static_cast<int>(bytes), mpi.byte, other_, tag, comm_, &request); }));
        bool gone = false;
        if (error_ == MPI_SUCCESS) note(wait_until(&request, mpi.Wtime() + patience_s, gone));
        taken = gone ? 1 : 0;
        send(&taken, sizeof taken, tag + 1);
        if (request != mpi.request_null) note(wait_for(&request));
        return taken != 0;
    }

    void send(const void* data, std::size_t bytes, int its_tag) {
        if (error_ != MPI_SUCCESS) return;
        note(insist([&] { return mpi.Send(data, static_cast<int>(bytes), mpi.byte, other_, its_tag, comm_); }));
    }
    void receive(void* to, std::size_t bytes, int its_tag) {
        if (error_ != MPI_SUCCESS) return;
        note(insist([&] {
            return mpi.Recv(to, static_cast<int>(bytes), mpi.byte, other_, its_tag, comm_, MPI_STATUS_IGNORE);
        }));
    }
    /// After the first error nothing is sent or received any more.
    void note(int error) {
        if (error_ == MPI_SUCCESS) error_ = error;
    }

    int other_;
    bool leads_;
    MPI_Comm comm_;
    int error_ = MPI_SUCCESS;
    Room bytes_;
};

}  // namespace detail

/// Collective over `comm`, whose ranks `placement` states: what one pair of them finds out, for all. `wire` is what
/// this process has found out before; where all ranks have, nothing is sent again. MPI error code: this rank cannot go
/// on, and others wait for it.
inline int measure_wire(const Placement& placement, int rank, MPI_Comm comm, Wire& wire) {
    int all = 0;
    if (!reduce(wire.seconds_per_byte > 0 ? 1 : 0, mpi.op_min, comm, all)) return MPI_ERR_OTHER;
    const int first = placement.ranks_on.front().front();
    const int second = placement.ranks_on.size() > 1 ? placement.ranks_on[1].front() : placement.ranks_on[0][1];
    if (all == 0) {
        const bool measures = rank == first || rank == second;
        detail::WireProbe probe(first, second, rank, comm);
        int possible = 0;
        if (!reduce(!measures || probe.prepare() ? 1 : 0, mpi.op_min, comm, possible)) return MPI_ERR_OTHER;
        if (possible == 0) {
            wire = Wire{};
            return MPI_SUCCESS;
        }
        if (const int error = measures ? probe.measure(wire) : MPI_SUCCESS; error != MPI_SUCCESS) return error;
    }
    // To all ranks, as a reduction: its result shows on every rank whether the call has done its work.
    const bool tells = rank == first;
    const double mine[] = {tells ? static_cast<double>(wire.eager_bytes) : 0, tells ? wire.seconds_per_byte : 0};
    double told[] = {-1, -1};
    const int error = insist_together([&] { return mpi.Allreduce(mine, told, 2, mpi.double_type, mpi.op_max, comm); },
                                      [&] { return told[0] >= 0; });
    if (error != MPI_SUCCESS) return error;
    wire = {static_cast<std::int64_t>(told[0]), told[1]};
    return MPI_SUCCESS;
}

}  // namespace bcast
