// When multicast is of no use to a communicator.
#pragma once

#include <cstdint>

namespace bcast {

/// What one rank has seen since the ranks last compared. Sums and maxima over ranks are exact in ints.
struct MulticastTally {
    int broadcasts = 0;  ///< that should have reached this rank by multicast
    int useless = 0;     ///< how many of those brought less than a quarter of the fragments
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

/// The ranks compare after broadcasts 4, 8, 16, 32, 64 and then after every 64th. So multicast is given up soon where
/// there is none, and not much later where it stops working; and comparing costs next to nothing.
inline bool compares_after(std::uint64_t broadcast) {
    return broadcast >= 4 && (broadcast >= 64 ? broadcast % 64 == 0 : (broadcast & (broadcast - 1)) == 0);
}

/// What the ranks conclude from the sums over all of them and the largest mean number of penalty rounds of any rank.
/// Multicast is of no use if it fails in more than three of four cases, or if the chain takes more rounds than a tree
/// of point-to-point messages.
inline bool is_useless(int broadcasts, int useless, int most_mean_rounds, int machines) {
    if (broadcasts == 0) return false;
    int tree_rounds = 0;
    while ((1 << tree_rounds) < machines) ++tree_rounds;
    const int patience = tree_rounds < 3 ? 3 : tree_rounds;
    return useless > broadcasts / 4 * 3 || most_mean_rounds > patience;
}

}  // namespace bcast
