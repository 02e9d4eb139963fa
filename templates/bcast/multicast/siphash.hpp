// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF"): a keyed tag of 64 bits.
//
// Without the key the only way to a datagram with the right tag is to guess: one chance in 2^64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bcast {

struct SipKey {
    std::uint64_t low = 0;   ///< bytes 0 to 7, the first one lowest
    std::uint64_t high = 0;  ///< bytes 8 to 15
};

namespace detail {

inline std::uint64_t rotate_left(std::uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

/// Up to eight bytes as a number, the first one lowest.
inline std::uint64_t low_end_first(const unsigned char* bytes, std::size_t count) {
    std::uint64_t value = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count == 8) {
        std::memcpy(&value, bytes, 8);
        return value;
    }
#endif
    for (std::size_t i = 0; i < count; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
    return value;
}

struct SipState {
    std::uint64_t v0, v1, v2, v3;

    explicit SipState(const SipKey& key)
        : v0(key.low ^ 0x736f6d6570736575U),
          v1(key.high ^ 0x646f72616e646f6dU),
          v2(key.low ^ 0x6c7967656e657261U),
          v3(key.high ^ 0x7465646279746573U) {}

    void round() {
        v0 += v1;
        v2 += v3;
        v1 = rotate_left(v1, 13) ^ v0;
        v3 = rotate_left(v3, 16) ^ v2;
        v0 = rotate_left(v0, 32);
        v2 += v1;
        v0 += v3;
        v1 = rotate_left(v1, 17) ^ v2;
        v3 = rotate_left(v3, 21) ^ v0;
        v2 = rotate_left(v2, 32);
    }

    void absorb(std::uint64_t word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    void absorb_words(const unsigned char* bytes, std::size_t words) {
        for (std::size_t i = 0; i < words; ++i) absorb(low_end_first(bytes + 8 * i, 8));
    }

    std::uint64_t finish() {
        v2 ^= 0xff;
        for (int i = 0; i < 4; ++i) round();
        return v0 ^ v1 ^ v2 ^ v3;
    }
};

}  // namespace detail

/// The tag of two runs of bytes, one after the other; the first one's length must be a multiple of 8.
inline std::uint64_t siphash(const SipKey& key, const void* head, std::size_t head_bytes, const void* body,
                             std::size_t body_bytes) {
    const auto* rest = static_cast<const unsigned char*>(body);
    detail::SipState state(key);
    state.absorb_words(static_cast<const unsigned char*>(head), head_bytes / 8);
    state.absorb_words(rest, body_bytes / 8);
    const std::uint64_t length = (head_bytes + body_bytes) & 0xff;
    state.absorb((length << 56) | detail::low_end_first(rest + body_bytes / 8 * 8, body_bytes % 8));
    return state.finish();
}

}  // namespace bcast
