// Ranges of multicast group addresses, as topology files and BCASTGEN_MULTICAST_GROUPS write them.
#pragma once

#include <arpa/inet.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace bcast {

/// Addresses whose first `prefix` bits are those of `bytes`: 239.192.0.0/16, ff15:7::/32.
struct GroupRange {
    bool six = false;           ///< IPv6
    unsigned char bytes[16]{};  ///< 4 of them for IPv4
    int prefix = 0;
};

/// The range for BCASTGEN_MULTICAST=try where the site names none: of local scope (RFC 2365).
inline constexpr const char* usual_groups = "239.255.0.0/16";

/// The ports that are never registered: one is drawn with each group.
inline constexpr std::uint64_t first_port = 49152;
inline constexpr std::uint64_t group_ports = 16384;

/// Nothing if `text` is not a range of multicast addresses.
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

}  // namespace bcast
