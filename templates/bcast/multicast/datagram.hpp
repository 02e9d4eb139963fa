// A fragment of a broadcast message as it travels in a datagram.
//
//   byte  0   magic "bcg1"
//         4   fragment: its number in the message
//         8   broadcast: the number of the communicator's multicast broadcast, from 1; 0 in the set-up's trial
//        16   bytes of the whole message
//        24   bytes of every fragment but the last
//        28   rank that sends
//        32   bytes of this fragment
//        36   CRC-32C of all bytes but this field and the tag
//        40   the fragment's bytes, then 8 bytes of tag: SipHash-2-4 of everything before, under the communicator's key
//
// Numbers are little-endian. A fragment's place in the message follows from its number, so that fragments may come in
// any sequence, twice, or never. The broadcast's number tells one message's fragments from another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bcast/multicast/crc32c.hpp"
#include "bcast/multicast/siphash.hpp"

namespace bcast {

inline constexpr std::size_t datagram_head_bytes = 40;
inline constexpr std::size_t datagram_tag_bytes = 8;
inline constexpr std::size_t datagram_overhead_bytes = datagram_head_bytes + datagram_tag_bytes;
inline constexpr std::uint64_t trial_broadcast = 0;
inline constexpr std::uint32_t datagram_magic = 0x31676362;

/// A fragment. `payload` is the caller's memory.
struct Datagram {
    std::uint32_t fragment = 0;
    std::uint64_t broadcast = 0;
    std::uint64_t message_bytes = 0;
    std::uint32_t fragment_bytes = 0;
    std::uint32_t sender = 0;
    const char* payload = nullptr;
    std::uint32_t payload_bytes = 0;
};

/// What received bytes turn out to be.
enum class Verdict {
    good,
    damaged,  ///< too short, cut off, or changed on the way
    foreign,  ///< whole, but from a sender who does not know the key
};

/// What goes before and after a fragment's bytes.
struct DatagramEnds {
    unsigned char head[datagram_head_bytes];
    unsigned char tag[datagram_tag_bytes];
};

namespace detail {

inline void put_number(unsigned char* to, std::uint64_t value, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<unsigned char>(value >> (8 * i));
}

inline std::uint32_t get_number_32(const unsigned char* from) {
    return static_cast<std::uint32_t>(low_end_first(from, 4));
}

inline constexpr std::size_t crc_at = 36;

}  // namespace detail

inline void seal(const Datagram& datagram, const SipKey& key, DatagramEnds& ends) {
    using detail::put_number;
    put_number(ends.head, datagram_magic, 4);
    put_number(ends.head + 4, datagram.fragment, 4);
    put_number(ends.head + 8, datagram.broadcast, 8);
    put_number(ends.head + 16, datagram.message_bytes, 8);
    put_number(ends.head + 24, datagram.fragment_bytes, 4);
    put_number(ends.head + 28, datagram.sender, 4);
    put_number(ends.head + 32, datagram.payload_bytes, 4);
    const std::uint32_t crc = crc32c(crc32c(0, ends.head, detail::crc_at), datagram.payload, datagram.payload_bytes);
    put_number(ends.head + detail::crc_at, crc, 4);
    put_number(ends.tag, siphash(key, ends.head, datagram_head_bytes, datagram.payload, datagram.payload_bytes),
               datagram_tag_bytes);
}

/// Reads a datagram of `count` bytes; `datagram` holds it if the verdict is good, and its payload lies within `bytes`.
/// A good one lies within its message: fragment * fragment_bytes + payload_bytes <= message_bytes.
inline Verdict open_datagram(const void* bytes, std::size_t count, const SipKey& key, Datagram& datagram) {
    const auto* head = static_cast<const unsigned char*>(bytes);
    if (count < datagram_overhead_bytes) return Verdict::damaged;
    if (detail::get_number_32(head) != datagram_magic) return Verdict::foreign;
    const std::size_t payload_bytes = count - datagram_overhead_bytes;
    if (detail::get_number_32(head + 32) != payload_bytes) return Verdict::damaged;
    const unsigned char* payload = head + datagram_head_bytes;
    const std::uint32_t crc = crc32c(crc32c(0, head, detail::crc_at), payload, payload_bytes);
    if (crc != detail::get_number_32(head + detail::crc_at)) return Verdict::damaged;
    const std::uint64_t tag = siphash(key, head, datagram_head_bytes, payload, payload_bytes);
    if (tag != detail::low_end_first(payload + payload_bytes, datagram_tag_bytes)) return Verdict::foreign;
    datagram.fragment = detail::get_number_32(head + 4);
    datagram.broadcast = detail::low_end_first(head + 8, 8);
    datagram.message_bytes = detail::low_end_first(head + 16, 8);
    datagram.fragment_bytes = detail::get_number_32(head + 24);
    datagram.sender = detail::get_number_32(head + 28);
    datagram.payload = reinterpret_cast<const char*>(payload);
    datagram.payload_bytes = static_cast<std::uint32_t>(payload_bytes);
    const std::uint64_t offset = std::uint64_t{datagram.fragment} * datagram.fragment_bytes;
    const bool inside = offset <= datagram.message_bytes && payload_bytes <= datagram.message_bytes - offset;
    return inside ? Verdict::good : Verdict::damaged;
}

}  // namespace bcast
