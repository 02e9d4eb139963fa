// One clock for all ranks.
#pragma once

#include <mpi.h>

namespace bcastgen {

/// A clock that all ranks of MPI_COMM_WORLD read alike, up to error_s(). Ranks under one kernel, and simulated ones,
/// share a clock anyway. For others the offset to rank 0's clock is estimated from the quickest of several exchanges,
/// at the beginning and again from time to time, since clocks drift.
class AlignedClock {
  public:
    /// Collective.
    AlignedClock();

    /// Seconds on rank 0's clock.
    [[nodiscard]] double now_s() const;

    /// Returns when now_s() is at least `time_s`. A rank that has long to wait leaves the processor to others.
    void wait_until(double time_s) const;

    /// Collective: estimates anew if the last estimate is old, by rank 0's clock.
    void keep_aligned();

    /// The most that any two ranks' readings of one moment may differ (half the longest of the quickest exchanges).
    [[nodiscard]] double error_s() const { return error_s_; }

  private:
    void align();

    bool shared_ = true;
    double offset_s_ = 0;  ///< rank 0's clock minus this rank's
    double error_s_ = 0;
    double aligned_at_s_ = 0;
};

}  // namespace bcastgen
