// What it takes to send a segment to the next machine, and how many must be under way for the wire to be busy.
//
//   sender    |== gap ==|== gap ==|== gap ==|          gap: the sender's processor, then its port
//                 \  latency
//   receiver        `--> arrived, and the sender hears of it a latency later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "order.hpp"
#include "speeds.hpp"

namespace bcast {

/// What each send takes of the sending processor, whatever its size.
inline constexpr std::int64_t send_overhead_ns = 5000;

/// The way to a machine on the same switch.
struct Hop {
    std::int64_t overhead_ns = 0;    ///< of the sender's processor, for each send
    std::int64_t latency_ns = 0;     ///< over both machines' ports
    std::int64_t bandwidth_Bps = 0;  ///< of a port; 0: unknown

    /// From the start of one send to that of the next.
    [[nodiscard]] std::int64_t gap_ns(std::size_t bytes) const {
        if (bandwidth_Bps == 0) return overhead_ns;
        constexpr double ns_per_s = 1e9;
        return overhead_ns +
               static_cast<std::int64_t>(ns_per_s * static_cast<double>(bytes) / static_cast<double>(bandwidth_Bps));
    }

    /// Sends of so many bytes under way that keep the port busy until the first is known to have arrived, two latencies
    /// after it left.
    [[nodiscard]] std::int64_t covering(std::size_t bytes) const {
        return 1 + 2 * latency_ns / std::max<std::int64_t>(gap_ns(bytes), 1);
    }
};

/// The usual one of a site: by the fastest port, with the latency of machine 0's. O(machines).
inline Hop hop_of(const Layout& layout) {
    if (layout.ports.empty()) return {send_overhead_ns, 2 * LinkSpeed{}.latency_ns, 0};
    return {send_overhead_ns, 2 * layout.ports.front().latency_ns, fastest_port_Bps(layout)};
}

}  // namespace bcast
