// One multicast group, drawn from a range of addresses.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "bcast/facts/multicast_groups.hpp"
#include "bcast/multicast/siphash.hpp"

namespace bcast {

/// What the ranks of a communicator share in order to reach each other by multicast. Sent as bytes.
struct GroupSecret {
    std::uint8_t usable = 0;  ///< 0: none could be drawn
    std::uint8_t six = 0;
    std::uint16_t port = 0;
    std::uint8_t address[16]{};
    std::uint32_t unused = 0;
    SipKey key;
    std::uint64_t seed = 0;  ///< for the choice of the rank that the root waits for
};
static_assert(sizeof(GroupSecret) == 48, "ranks exchange this as bytes");

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
