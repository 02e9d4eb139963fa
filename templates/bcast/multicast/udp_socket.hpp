// Datagrams to and from a multicast group over UDP.
//
// The kernel's receive buffer holds what comes before a rank enters the broadcast, or faster than it reads. A datagram
// goes one hop at most (TTL 1): it never leaves the network that the machines share.
#pragma once

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "bcast/multicast/datagram_socket.hpp"
#include "bcast/multicast/group.hpp"

namespace bcast {

class UdpSocket : public DatagramSocket {
  public:
    /// How a rank takes part in a group.
    struct Part {
        bool receives = true;         ///< joins the group
        bool hears_own_host = false;  ///< what this host sends also comes to its other ranks
        std::string interface;        ///< empty: the system's choice
    };

    /// A socket on the group, or nothing if the system refuses.
    static std::unique_ptr<UdpSocket> open(const GroupSecret& group, const Part& part) {
        const int family = group.six != 0 ? AF_INET6 : AF_INET;
        const int file = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (file < 0) return nullptr;
        std::unique_ptr<UdpSocket> opened(new UdpSocket(file, group));
        if (!opened->set_up(part)) return nullptr;
        return opened;
    }

    ~UdpSocket() override { close(file_); }

    [[nodiscard]] bool joined() const override { return joined_; }
    [[nodiscard]] std::size_t datagram_bytes() const override { return datagram_bytes_; }
    [[nodiscard]] std::size_t room() const override { return room_; }

    std::size_t send(const Datagram* datagrams, const DatagramEnds* ends, std::size_t count) override {
        mmsghdr messages[datagram_batch];
        iovec parts[datagram_batch][3];
        std::memset(messages, 0, sizeof messages);
        for (std::size_t i = 0; i < count; ++i) {
            parts[i][0] = {const_cast<unsigned char*>(ends[i].head), datagram_head_bytes};
            parts[i][1] = {const_cast<char*>(datagrams[i].payload), datagrams[i].payload_bytes};
            parts[i][2] = {const_cast<unsigned char*>(ends[i].tag), datagram_tag_bytes};
            messages[i].msg_hdr.msg_name = &group_;
            messages[i].msg_hdr.msg_namelen = group_bytes_;
            messages[i].msg_hdr.msg_iov = parts[i];
            messages[i].msg_hdr.msg_iovlen = 3;
        }
        const int sent = sendmmsg(file_, messages, static_cast<unsigned>(count), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) return static_cast<std::size_t>(sent);
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS || errno == EINTR ? 0 : count;
    }

    std::size_t receive(Received* arrivals) override {
        if (!joined_) return 0;
        mmsghdr messages[datagram_batch];
        iovec parts[datagram_batch];
        std::memset(messages, 0, sizeof messages);
        for (std::size_t i = 0; i < datagram_batch; ++i) {
            parts[i] = {memory_.data() + i * largest_datagram, largest_datagram};
            messages[i].msg_hdr.msg_iov = &parts[i];
            messages[i].msg_hdr.msg_iovlen = 1;
        }
        const int received = recvmmsg(file_, messages, datagram_batch, MSG_DONTWAIT, nullptr);
        if (received <= 0) return 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(received); ++i) {
            // A datagram that did not fit is none of ours; it is found to be damaged.
            arrivals[i] = {memory_.data() + i * largest_datagram, messages[i].msg_len};
        }
        return static_cast<std::size_t>(received);
    }

    void make_room(std::size_t bytes) override {
        const std::size_t wanted = std::min(bytes, most_room);
        if (!joined_ || wanted <= room_) return;
        const int size = static_cast<int>(wanted);
        // Only the privileged may exceed the system's limit; the second call then asks for what is allowed.
        if (setsockopt(file_, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0) {
            setsockopt(file_, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
        }
        int granted = 0;
        socklen_t length = sizeof granted;
        getsockopt(file_, SOL_SOCKET, SO_RCVBUF, &granted, &length);
        // The kernel doubles what is asked for, and its own bookkeeping for each datagram counts too.
        room_ = static_cast<std::size_t>(std::max(granted, 0)) / 2;
    }

    void wait(bool to_send, int microseconds) override {
        pollfd one{file_, static_cast<short>(POLLIN | (to_send ? POLLOUT : 0)), 0};
        const timespec time{0, 1000L * microseconds};
        ppoll(&one, 1, &time, nullptr);
    }

  private:
    static constexpr std::size_t largest_datagram = 9216;
    static constexpr std::size_t least_room = std::size_t{1} << 20;
    static constexpr std::size_t most_room = std::size_t{64} << 20;

    UdpSocket(int file, const GroupSecret& group) : file_(file), six_(group.six != 0) {
        if (six_) {
            auto& address = reinterpret_cast<sockaddr_in6&>(group_);
            address.sin6_family = AF_INET6;
            address.sin6_port = htons(group.port);
            std::memcpy(&address.sin6_addr, group.address, 16);
            group_bytes_ = sizeof(sockaddr_in6);
        } else {
            auto& address = reinterpret_cast<sockaddr_in&>(group_);
            address.sin_family = AF_INET;
            address.sin_port = htons(group.port);
            std::memcpy(&address.sin_addr, group.address, 4);
            group_bytes_ = sizeof(sockaddr_in);
        }
    }

    template <class Value>
    bool set(int level, int option, const Value& value) {
        return setsockopt(file_, level, option, &value, sizeof value) == 0;
    }

    bool set_up(const Part& part) {
        int index = 0;
        if (!part.interface.empty()) {
            index = static_cast<int>(if_nametoindex(part.interface.c_str()));
            if (index == 0) return false;
        }
        if (six_) reinterpret_cast<sockaddr_in6&>(group_).sin6_scope_id = static_cast<std::uint32_t>(index);
        const int one = 1;
        const int loop = part.hears_own_host ? 1 : 0;
        bool good = set(SOL_SOCKET, SO_REUSEADDR, one);
        if (six_) {
            good = good && set(IPPROTO_IPV6, IPV6_V6ONLY, one) && set(IPPROTO_IPV6, IPV6_MULTICAST_HOPS, one) &&
                   set(IPPROTO_IPV6, IPV6_MULTICAST_LOOP, loop) &&
                   (index == 0 || set(IPPROTO_IPV6, IPV6_MULTICAST_IF, index));
        } else {
            const ip_mreqn from{{}, {}, index};
            good = good && set(IPPROTO_IP, IP_MULTICAST_TTL, one) && set(IPPROTO_IP, IP_MULTICAST_LOOP, loop) &&
                   (index == 0 || set(IPPROTO_IP, IP_MULTICAST_IF, from));
        }
        if (!good) return false;
        find_datagram_bytes(part.interface);
        if (part.receives) join(index);
        return true;
    }

    /// Bound to the group's own address, a socket gets nothing but the group's datagrams.
    void join(int index) {
        if (bind(file_, reinterpret_cast<const sockaddr*>(&group_), group_bytes_) != 0) return;
        if (six_) {
            ipv6_mreq request{};
            request.ipv6mr_multiaddr = reinterpret_cast<const sockaddr_in6&>(group_).sin6_addr;
            request.ipv6mr_interface = static_cast<unsigned>(index);
            joined_ = set(IPPROTO_IPV6, IPV6_JOIN_GROUP, request);
        } else {
            const ip_mreqn request{reinterpret_cast<const sockaddr_in&>(group_).sin_addr, {}, index};
            joined_ = set(IPPROTO_IP, IP_ADD_MEMBERSHIP, request);
        }
        if (!joined_) return;
        memory_.resize(datagram_batch * largest_datagram);
        make_room(least_room);
    }

    /// That of the named interface, or Ethernet's where the system chooses.
    void find_datagram_bytes(const std::string& interface) {
        constexpr std::size_t ethernet = 1500;
        std::size_t unit = ethernet;
        ifreq request{};
        if (!interface.empty() && interface.size() < sizeof request.ifr_name) {
            std::memcpy(request.ifr_name, interface.c_str(), interface.size());
            if (ioctl(file_, SIOCGIFMTU, &request) == 0 && request.ifr_mtu > 0) {
                unit = static_cast<std::size_t>(request.ifr_mtu);
            }
        }
        const std::size_t headers = six_ ? 48 : 28;
        constexpr std::size_t least = 576;
        datagram_bytes_ = std::clamp(unit, least, largest_datagram) - headers;
    }

    int file_;
    bool six_;
    bool joined_ = false;
    sockaddr_storage group_{};
    socklen_t group_bytes_ = 0;
    std::size_t datagram_bytes_ = 0;
    std::size_t room_ = 0;
    std::vector<char> memory_;
};

}  // namespace bcast
