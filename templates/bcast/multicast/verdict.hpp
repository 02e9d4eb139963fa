// When multicast is of no use to a communicator.
#pragma once

#include <cstdint>

namespace bcast {

/// What one rank has seen since the ranks compared last. Sums and maxima over ranks are exact in ints.
struct MulticastTally {
    int broadcasts = 0;  ///< that were to reach this rank by multicast
    int useless = 0;     ///< of those, how many brought less than a quarter of the fragments
    int rounds = 0;      ///< penalty rounds of all of them

    void add(std::uint64_t taken, std::uint64_t fragments, unsigned penalty_rounds) {
        ++broadcasts;
        if (4 * taken < fragments) ++useless;
        constexpr unsigned most = 1U << 16;
        rounds += static_cast<int>(penalty_rounds < most ? penalty_rounds : most);
    }

    /// Mean penalty rounds, rounded up.
    [[nodiscard]] int mean_rounds() const { return broadcasts == 0 ? 0 : (rounds + broadcasts - 1) / broadcasts; }
};

/// The ranks compare after broadcasts 4, 8, 16, 32, 64 and then after every 64th: a network that has no multicast is
/// left soon, one that loses it later does not stay for long, and comparing costs next to nothing.
inline bool compares_after(std::uint64_t broadcast) {
    return broadcast >= 4 && (broadcast >= 64 ? broadcast % 64 == 0 : (broadcast & (broadcast - 1)) == 0);
}

/// What the ranks agree on from the sums over all of them and the largest mean number of penalty rounds of any. Of no
/// use is what brings nothing to three of four, or makes the chain longer than a tree of point-to-point messages.
inline bool is_useless(int broadcasts, int useless, int most_mean_rounds, int machines) {
    if (broadcasts == 0) return false;
    int tree_rounds = 0;
    while ((1 << tree_rounds) < machines) ++tree_rounds;
    const int patience = tree_rounds < 3 ? 3 : tree_rounds;
    return useless > broadcasts / 4 * 3 || most_mean_rounds > patience;
}

}  // namespace bcast
