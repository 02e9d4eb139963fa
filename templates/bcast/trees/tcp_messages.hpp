// How messages of TCP over Gigabit Ethernet do, by their length.
#pragma once

#include <iterator>

namespace bcast {

/// From so many bytes on: the part of the bandwidth that messages get, and how many times a link's latency they take.
struct TcpFactor {
    double from_bytes;
    double bandwidth;
    double latency;
};

/// Measured by the authors of SimGrid, which has them for its usual network. The longest messages first.
inline constexpr TcpFactor tcp_factors[] = {
    {65472, 0.940694, 11.6436}, {15424, 0.697866, 3.48845}, {9376, 0.58729, 2.59299},
    {5776, 1.08739, 2.18796},   {3484, 0.77493, 1.88101},   {1426, 0.608902, 1.61075},
    {732, 0.341987, 1.9503},    {257, 0.338112, 1.95341},   {0, 0.812084, 2.01467},
};

/// What an MPI puts before a message: SimGrid's, and about what MPIs do.
inline constexpr double envelope_bytes = 16;

/// Of messages of so many bytes, their envelope included.
inline const TcpFactor& tcp_factor(double bytes) {
    const TcpFactor* factor = std::begin(tcp_factors);
    while (bytes < factor->from_bytes) ++factor;
    return *factor;
}

}  // namespace bcast
