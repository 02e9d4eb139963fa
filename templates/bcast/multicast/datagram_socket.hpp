// What multicast broadcasts need from a network: datagrams to a group and from it, which may get lost.
#pragma once

#include <cstddef>

#include "bcast/multicast/datagram.hpp"

namespace bcast {

/// A datagram that was received; the memory is the socket's, until the next call.
struct Received {
    const char* bytes = nullptr;
    std::size_t count = 0;
};

/// The most datagrams that one call sends or receives.
inline constexpr std::size_t datagram_batch = 32;

/// One communicator's way to its group. Errors count as losses: what got lost is replaced along the chain.
class DatagramSocket {
  public:
    DatagramSocket() = default;
    DatagramSocket(const DatagramSocket&) = delete;
    DatagramSocket& operator=(const DatagramSocket&) = delete;
    virtual ~DatagramSocket() = default;

    /// Whether datagrams can be received.
    [[nodiscard]] virtual bool joined() const = 0;

    /// The most bytes of a datagram that travel in one piece.
    [[nodiscard]] virtual std::size_t datagram_bytes() const = 0;

    /// Bytes of datagrams that may wait to be received.
    [[nodiscard]] virtual std::size_t room() const = 0;

    /// Sends up to datagram_batch datagrams to the group, each with head, payload and tag. Returns how many of them
    /// need no more attention; 0 if there is no room now.
    virtual std::size_t send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) = 0;

    /// Puts what has been received, up to datagram_batch datagrams, into `arrivals`. 0 if nothing has.
    virtual std::size_t receive(Received* arrivals) = 0;

    /// Makes room for this many bytes of messages that wait to be received, as far as the system allows.
    virtual void make_room(std::size_t bytes) = 0;

    /// Sleeps until something comes in, or (`to_send`) there is room to send, but no longer than this.
    virtual void wait(bool to_send, int microseconds) = 0;
};

}  // namespace bcast
