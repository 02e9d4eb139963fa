// What the multicast broadcast needs of a network: datagrams to a group and from it, which may get lost.
#pragma once

#include <cstddef>

#include "bcast/multicast/datagram.hpp"

namespace bcast {

/// A datagram that came in; the memory is the socket's, until it is asked again.
struct Received {
    const char* bytes = nullptr;
    std::size_t count = 0;
};

/// Most datagrams that one call takes or gives.
inline constexpr std::size_t datagram_batch = 32;

/// One communicator's way to its group. Errors are losses: whoever needs what got lost is served otherwise.
class DatagramSocket {
  public:
    DatagramSocket() = default;
    DatagramSocket(const DatagramSocket&) = delete;
    DatagramSocket& operator=(const DatagramSocket&) = delete;
    virtual ~DatagramSocket() = default;

    /// Whether datagrams can come in.
    [[nodiscard]] virtual bool joined() const = 0;

    /// So many bytes of a datagram travel in one piece.
    [[nodiscard]] virtual std::size_t datagram_bytes() const = 0;

    /// Bytes of datagrams that may wait to be received.
    [[nodiscard]] virtual std::size_t room() const = 0;

    /// Sends up to datagram_batch datagrams to the group: head, payload and tag each. How many of them are done with;
    /// 0 if there is no room now.
    virtual std::size_t send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) = 0;

    /// Takes what has come in, up to datagram_batch datagrams, into `arrivals`. 0 if nothing has.
    virtual std::size_t receive(Received* arrivals) = 0;

    /// Makes room for so many bytes of messages that wait to be received, where the system lets us.
    virtual void make_room(std::size_t bytes) = 0;

    /// Sleeps until something comes in, or (`to_send`) there is room to send, at most so long.
    virtual void wait(bool to_send, int microseconds) = 0;
};

}  // namespace bcast
