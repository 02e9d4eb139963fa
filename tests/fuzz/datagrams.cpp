// What comes from the network: datagrams of multicast, genuine, damaged and forged.
#include <cstring>
#include <string>
#include <vector>

#include "bcast/multicast/datagram.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

constexpr bcast::SipKey key{0x0706050403020100, 0x0f0e0d0c0b0a0908};

/// Opens bytes that lie in memory of exactly their size, so that reading beyond them is seen.
void open(const std::vector<char>& bytes, bool genuine) {
    bcast::Datagram datagram;
    const bcast::Verdict verdict = bcast::open_datagram(bytes.data(), bytes.size(), key, datagram);
    if (verdict != bcast::Verdict::good) {
        FUZZ_PROMISE(!genuine);
        return;
    }
    const char* const end = bytes.data() + bytes.size();
    FUZZ_PROMISE(datagram.payload >= bytes.data() && datagram.payload_bytes <= end - datagram.payload);
    const std::uint64_t offset = std::uint64_t{datagram.fragment} * datagram.fragment_bytes;
    FUZZ_PROMISE(offset <= datagram.message_bytes && datagram.payload_bytes <= datagram.message_bytes - offset);
}

std::uint64_t number(Choices& choices, std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char c : choices.bytes(bytes)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

}  // namespace

void fuzz_datagram(std::string_view bytes) {
    open({bytes.begin(), bytes.end()}, false);
    Choices choices(bytes);
    bcast::Datagram sent;
    sent.fragment = static_cast<std::uint32_t>(number(choices, 4));
    sent.broadcast = number(choices, 8);
    sent.message_bytes = number(choices, 8);
    sent.fragment_bytes = static_cast<std::uint32_t>(number(choices, 4));
    sent.sender = static_cast<std::uint32_t>(number(choices, 4));
    const std::string payload(choices.bytes(choices.below(1500)));
    sent.payload = payload.data();
    sent.payload_bytes = static_cast<std::uint32_t>(payload.size());
    bcast::DatagramEnds ends;
    bcast::seal(sent, key, ends);
    std::vector<char> wire(bcast::datagram_overhead_bytes + payload.size());
    std::memcpy(wire.data(), ends.head, bcast::datagram_head_bytes);
    if (!payload.empty()) std::memcpy(wire.data() + bcast::datagram_head_bytes, payload.data(), payload.size());
    std::memcpy(wire.data() + bcast::datagram_head_bytes + payload.size(), ends.tag, bcast::datagram_tag_bytes);
    const std::uint64_t offset = std::uint64_t{sent.fragment} * sent.fragment_bytes;
    const bool inside = offset <= sent.message_bytes && payload.size() <= sent.message_bytes - offset;
    open(wire, inside);
    if (choices.empty()) return;
    wire[choices.below(wire.size())] ^= static_cast<char>(1 + choices.below(255));  // one byte changed
    bcast::Datagram received;
    FUZZ_PROMISE(bcast::open_datagram(wire.data(), wire.size(), key, received) != bcast::Verdict::good);
    wire.resize(choices.below(wire.size()));
    open(wire, false);
}

}  // namespace bcastgen::fuzz
