// What the software at both ends of a message costs: MPI and what is below it, besides the wire.
#pragma once

#include <compare>

namespace bcastgen {

/// Of one machine. A rank's costs come one after the other on its processor: a machine that passes a segment of B bytes
/// on to k children spends receive_s + k * send_s + (1 + k) * B * per_byte_s on it, and cannot take segments faster
/// than that, however fast its port is.
struct Software {
    double send_s = 0;      ///< of the sender, for each message, before it is on the wire
    double receive_s = 0;   ///< of the receiver, for each message, after it has come
    double per_byte_s = 0;  ///< of the sender and of the receiver, for each byte: 0 where the card does the copying
    double copy_bandwidth_Bps = 0;  ///< from a rank to another one of the same machine
    double copy_latency_s = 0;      ///< the same, for each message

    // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler writes has a 0
    friend auto operator<=>(const Software&, const Software&) = default;
};

constexpr double most_software_s = 10;             ///< that a message can take
constexpr double most_software_per_byte_s = 1e-6;  ///< that a byte can take: 1 MB/s

/// Up to here a port is one of Gigabit Ethernet or slower.
constexpr double gigabit_Bps = 1e9 / 8;
/// And up to here the kernel's TCP is what messages go through.
constexpr double fastest_tcp_Bps = 10 * gigabit_Bps;

/// Of a machine of which nothing else is said, by the bandwidth of its port (docs/software.md has where the figures are
/// from). Up to 1 Gbit/s all that plans have ever counted; to 10 Gbit/s the kernel's TCP; above it cards that user
/// programs write to.
[[nodiscard]] Software usual_software(double port_bandwidth_Bps);

}  // namespace bcastgen
