// Group addresses: ranges as topology files write them, and one group drawn from a range.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "siphash.hpp"

namespace bcast {

/// Addresses whose first `prefix` bits are those of `bytes`: 239.192.0.0/16, ff15:7::/32.
struct GroupRange {
    bool six = false;           ///< IPv6
    unsigned char bytes[16]{};  ///< 4 of them for IPv4
    int prefix = 0;
};

/// What the ranks of a communicator share to reach each other by multicast. Sent as bytes.
struct GroupSecret {
    std::uint8_t usable = 0;  ///< 0: none could be drawn
    std::uint8_t six = 0;
    std::uint16_t port = 0;
    std::uint8_t address[16]{};
    std::uint32_t unused = 0;
    SipKey key;
    std::uint64_t seed = 0;  ///< of the choice of the rank that the root waits for
};
static_assert(sizeof(GroupSecret) == 48, "ranks exchange this as bytes");

/// The range that is used where BCASTGEN_MULTICAST=try is said and the site names none: of local scope (RFC 2365).
inline constexpr const char* usual_groups = "239.255.0.0/16";

/// The ports that nobody registers: one is drawn with each group.
inline constexpr std::uint64_t first_port = 49152;
inline constexpr std::uint64_t group_ports = 16384;

/// Nothing if `text` is no range of multicast addresses.
inline std::optional<GroupRange> parse_groups(const std::string& text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos || slash + 1 == text.size() || text.size() > slash + 4) return std::nullopt;
    const std::string address = text.substr(0, slash);
    GroupRange range;
    for (std::size_t at = slash + 1; at < text.size(); ++at) {
        if (text[at] < '0' || text[at] > '9') return std::nullopt;
        range.prefix = 10 * range.prefix + (text[at] - '0');
    }
    range.six = inet_pton(AF_INET6, address.c_str(), range.bytes) == 1;
    if (!range.six && inet_pton(AF_INET, address.c_str(), range.bytes) != 1) return std::nullopt;
    const bool multicast = range.six ? range.bytes[0] == 0xff : range.bytes[0] == 239;
    if (!multicast || range.prefix < 8 || range.prefix > (range.six ? 128 : 32)) return std::nullopt;
    return range;
}

/// A group of the range, a port and a key, all from the system's random source. usable is 0 if that fails.
inline GroupSecret draw_group(const GroupRange& range) {
    struct {
        unsigned char address[16];
        std::uint64_t key[2];
        std::uint64_t seed;
        std::uint64_t port;
    } drawn{};
    GroupSecret secret;
    if (getrandom(&drawn, sizeof drawn, 0) != static_cast<ssize_t>(sizeof drawn)) return secret;
    secret.usable = 1;
    secret.six = range.six ? 1 : 0;
    secret.port = static_cast<std::uint16_t>(first_port + drawn.port % group_ports);
    for (int byte = 0; byte < (range.six ? 16 : 4); ++byte) {
        const int fixed_bits = range.prefix - 8 * byte;
        const int mask = fixed_bits >= 8 ? 0xff : fixed_bits <= 0 ? 0 : (0xff00 >> fixed_bits) & 0xff;
        secret.address[byte] =
            static_cast<std::uint8_t>((range.bytes[byte] & mask) | (drawn.address[byte] & ~mask & 0xff));
    }
    secret.key = {drawn.key[0], drawn.key[1]};
    secret.seed = drawn.seed;
    return secret;
}

/// The group's address as people write it.
inline std::string address_text(const GroupSecret& secret) {
    char text[INET6_ADDRSTRLEN] = {};
    inet_ntop(secret.six != 0 ? AF_INET6 : AF_INET, secret.address, text, sizeof text);
    return text;
}

}  // namespace bcast
