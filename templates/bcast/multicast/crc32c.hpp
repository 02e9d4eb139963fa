// CRC-32C, the cyclic redundancy check with Castagnoli's polynomial (RFC 3720, appendix B.4): finds damaged datagrams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bcast {

namespace detail {

/// Table t: what a byte followed by t zero bytes contributes.
using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr CrcTables make_crc_tables() {
    constexpr std::uint32_t polynomial = 0x82f63b78;  // bits reversed
    CrcTables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? polynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t t = 1; t < tables.size(); ++t) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[t - 1][byte];
            tables[t][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

inline constexpr CrcTables crc_tables = make_crc_tables();

inline std::uint32_t crc32c_by_tables(std::uint32_t crc, const unsigned char* bytes, std::size_t count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < 4; ++i) next ^= crc_tables[7 - i][((crc >> (8 * i)) & 0xff) ^ bytes[i]];
        for (std::size_t i = 4; i < 8; ++i) next ^= crc_tables[7 - i][bytes[i]];
        crc = next;
    }
    for (; count > 0; ++bytes, --count) crc = (crc >> 8) ^ crc_tables[0][(crc ^ *bytes) & 0xff];
    return crc;
}

#if defined(__x86_64__) && defined(__GNUC__)

__attribute__((target("sse4.2"))) inline std::uint32_t crc32c_by_processor(std::uint32_t crc,
                                                                           const unsigned char* bytes,
                                                                           std::size_t count) {
    std::uint64_t wide = crc;
    for (; count >= 8; bytes += 8, count -= 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = static_cast<std::uint32_t>(wide);
    for (; count > 0; ++bytes, --count) crc = __builtin_ia32_crc32qi(crc, *bytes);
    return crc;
}

inline bool processor_has_crc32c() {
    static const bool has = __builtin_cpu_supports("sse4.2") != 0;
    return has;
}

#else

inline std::uint32_t crc32c_by_processor(std::uint32_t crc, const unsigned char* bytes, std::size_t count) {
    return crc32c_by_tables(crc, bytes, count);
}

inline bool processor_has_crc32c() {
    return false;
}

#endif

}  // namespace detail

/// The check of `count` bytes that follow bytes whose check is `before` (0: nothing precedes them).
inline std::uint32_t crc32c(std::uint32_t before, const void* data, std::size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    const std::uint32_t inverted = ~before;
    return ~(detail::processor_has_crc32c() ? detail::crc32c_by_processor(inverted, bytes, count)
                                            : detail::crc32c_by_tables(inverted, bytes, count));
}

}  // namespace bcast
