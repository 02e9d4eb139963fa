// How long a message takes on this cluster, as a root sees it: how long it is worth waiting for others follows from it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/trees/hop.hpp"

namespace bcast {

class ArrivalPace {
  public:
    /// Before anything has been timed, what is known of the wire: seconds for each byte.
    void expect(double seconds_per_byte) {
        if (!measured_ && seconds_per_byte > 0) seconds_per_byte_ = seconds_per_byte;
    }
    void expect(const Hop& hop) {
        if (hop.bandwidth_Bps > 0) expect(1 / static_cast<double>(hop.bandwidth_Bps));
    }

    /// A root's port took `took_s` for `bytes` bytes. Small messages say nothing: they take latencies.
    void note(double took_s, std::size_t bytes) {
        constexpr std::size_t least_bytes = 32768;
        if (bytes < least_bytes) return;
        const double seconds_per_byte = took_s / static_cast<double>(bytes);
        seconds_per_byte_ = measured_ ? (seconds_per_byte_ + seconds_per_byte) / 2 : seconds_per_byte;
        measured_ = true;
    }

    /// About T(m).
    [[nodiscard]] double message_s(std::size_t bytes) const { return static_cast<double>(bytes) * seconds_per_byte_; }

  private:
    double seconds_per_byte_ = 8e-9;  // as on 1 Gbit/s, where nothing is known
    bool measured_ = false;
};

}  // namespace bcast
