// BCASTGEN_ARRIVAL=auto: how far apart the ranks of a communicator enter its broadcasts, and what follows from it.
//
// Nobody's clock is compared with another's. Each rank notes how long it was in each broadcast. A rank that comes late
// keeps somebody waiting who came earlier, its parent or the root, while it need not wait itself; so the difference
// between the longest and the shortest time of a broadcast is about by how much the last rank was late. A late root
// keeps everybody waiting, which no algorithm can help: its own time does not count as the shortest.
//
//   broadcast    0 1 2 3 4 5 6 7 | 8 9 ...           | 16 ...
//                notes           | reduction begins  | reduction ends: all ranks know the same, and decide the same
//
// The reduction has the time of a whole window to make its way, so that ending it waits for nobody who is not many
// broadcasts behind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "bcast/facts/site.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"

namespace bcast {

class ArrivalWatch {
  public:
    static constexpr std::size_t window = 8;  ///< broadcasts

    /// Before broadcast by broadcast, at the same place on every rank: the regime for what follows. Collective only in
    /// that all ranks call it for the same broadcasts. MPI error code.
    int before(MPI_Comm comm, double seconds_per_byte, Arrival& regime) {
        if (noted_ < window) return MPI_SUCCESS;
        if (pending_) {
            if (const int error = wait_for(&request_); error != MPI_SUCCESS) return error;
            decide(seconds_per_byte, regime);
        }
        noted_ = 0;
        sent_ = mine_;
        reduced_bytes_ = bytes_;
        pending_ = true;
        return insist([&] {
            return mpi.Iallreduce(sent_.data(), reduced_.data(), static_cast<int>(sent_.size()), mpi.double_type,
                                  mpi.op_max, comm, &request_);
        });
    }

    /// After a broadcast of `bytes` bytes that this rank spent `took_s` in.
    void after(std::size_t bytes, double took_s, bool is_root) {
        mine_[noted_] = took_s;
        mine_[window + noted_] = is_root ? -1e300 : -took_s;
        bytes_[noted_] = bytes;
        ++noted_;
    }

    /// Before the communicator is freed: all ranks have begun the same reductions. MPI error code.
    int settle() {
        const int error = pending_ ? wait_for(&request_) : MPI_SUCCESS;
        pending_ = false;
        return error;
    }

    /// The imbalance factor that is known last: the median of a window. Negative: none yet.
    [[nodiscard]] double imbalance() const { return imbalance_; }

  private:
    // Arrival-aware broadcasts are ahead from a factor of about 2 on, and hardly behind below it (docs/arrival.md).
    static constexpr double imbalanced_from = 3;
    static constexpr double balanced_up_to = 1.5;

    void decide(double seconds_per_byte, Arrival& regime) {
        std::array<double, window> factors{};
        for (std::size_t i = 0; i < window; ++i) {
            const double message_s = std::max(1e-9, static_cast<double>(reduced_bytes_[i]) * seconds_per_byte);
            factors[i] = std::max(0.0, reduced_[i] + reduced_[window + i]) / message_s;
        }
        std::sort(factors.begin(), factors.end());
        imbalance_ = factors[window / 2];
        if (imbalance_ >= imbalanced_from) regime = Arrival::imbalanced;
        if (imbalance_ <= balanced_up_to) regime = Arrival::balanced;
    }

    std::array<double, 2 * window> mine_{};  // longest; shortest, negated, so that the largest is looked for as well
    std::array<double, 2 * window> sent_{};
    std::array<double, 2 * window> reduced_{};
    std::array<std::size_t, window> bytes_{};
    std::array<std::size_t, window> reduced_bytes_{};
    std::size_t noted_ = 0;
    bool pending_ = false;
    MPI_Request request_{};
    double imbalance_ = -1;
};

}  // namespace bcast
