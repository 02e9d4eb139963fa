// What the ranks of a communicator have agreed on for multicast broadcasts, and what they count.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/facts/settings.hpp"
#include "bcast/multicast/siphash.hpp"
#include "bcast/roles/role.hpp"

namespace bcast {

struct MulticastTerms {
    SipKey key;
    std::uint64_t seed = 0;  ///< of the rank that is waited for
    std::size_t fragment_bytes = 1400;
    std::size_t room_bytes = 0;  ///< how much can wait in every receiver's buffer before any is lost
    RootWait root_wait = RootWait::automatic;
    int delay_us = 0;
    std::int64_t pace_Bps = 0;  ///< bytes per second that the slowest link carries; 0: not known
};

/// Messages of up to this many bytes go along the chain whole and unasked; of larger ones only what is missing. No MPI
/// waits for the receiver when it sends so little to another machine, and the receiver may have left the broadcast.
inline constexpr std::size_t whole_chain_bytes = 2048;

/// What happened to one broadcast's datagrams at one rank.
struct MulticastCounts {
    std::uint64_t taken = 0;      ///< brought a fragment that was missing
    std::uint64_t duplicate = 0;  ///< of fragments that were here
    std::uint64_t stale = 0;      ///< of an earlier broadcast
    std::uint64_t foreign = 0;    ///< from a sender without the key
    std::uint64_t damaged = 0;
    std::uint64_t fragments = 0;  ///< of the message, if they were to come by multicast
    unsigned rounds = 0;          ///< penalty rounds: the most hops along the chain that a fragment took to come here

    [[nodiscard]] std::uint64_t dropped() const { return duplicate + stale + foreign + damaged; }
};

/// The position of the rank that the root waits for: any but the root's, all equally often.
inline int awaited_position(std::uint64_t seed, std::uint64_t broadcast, int last) {
    std::uint64_t bits = seed + broadcast * 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return 1 + static_cast<int>((bits ^ (bits >> 31)) % static_cast<std::uint64_t>(last));
}

}  // namespace bcast
