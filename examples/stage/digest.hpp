#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Digests of bytes under a key. Whatever two texts of n bytes are, the chance that they have the same digest under a
/// key that was chosen at random is below n / 2^61: the bytes are the coefficients of a polynomial over the field of
/// 2^61 - 1 elements, and two different ones meet in few points.
namespace stage {

namespace field {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

__extension__ using Wide = unsigned __int128;

inline std::uint64_t reduced(std::uint64_t value) {
    value = (value & prime) + (value >> 61);
    return value >= prime ? value - prime : value;
}

/// sum * key + word, for words below 2^61.
inline std::uint64_t next(std::uint64_t sum, std::uint64_t key, std::uint64_t word) {
    const Wide product = static_cast<Wide>(sum) * key;
    return reduced((static_cast<std::uint64_t>(product) & prime) + static_cast<std::uint64_t>(product >> 61) + word);
}

}  // namespace field

/// Any 64 random bits as a key of digests.
inline std::uint64_t digest_key(std::uint64_t random) {
    return field::reduced(random) | 1;
}

inline std::uint64_t digest(std::uint64_t key, const char* bytes, std::size_t count) {
    constexpr std::size_t word_bytes = 7;  // so that each word is an element of the field
    constexpr std::size_t lanes = 4;       // multiplications that need not wait for each other
    constexpr std::uint64_t mask = (std::uint64_t{1} << 56) - 1;
    const std::size_t words = count > 8 ? (count - 1) / (word_bytes * lanes) : 0;  // of each lane; reads stay inside
    std::uint64_t sums[lanes] = {1, 1, 1, 1};
    for (std::size_t word = 0; word < words; ++word) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            std::uint64_t value = 0;
            std::memcpy(&value, bytes + (lane * words + word) * word_bytes, sizeof value);
            sums[lane] = field::next(sums[lane], key, value & mask);
        }
    }
    std::uint64_t sum = field::reduced(count);
    for (const std::uint64_t lane : sums) sum = field::next(sum, key, lane);
    for (std::size_t at = words * lanes * word_bytes; at < count; ++at) {
        sum = field::next(sum, key, static_cast<unsigned char>(bytes[at]));
    }
    return sum;
}

}  // namespace stage
