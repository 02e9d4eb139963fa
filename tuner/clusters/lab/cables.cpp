#include "tuner/clusters/lab/cables.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "tuner/clusters/lab/network_tools.hpp"

namespace bcastgen {

namespace {

constexpr const char* own_namespace = "/proc/self/ns/net";
constexpr std::size_t frames_at_once = 64;
constexpr std::size_t largest_frame = 2048;
constexpr int buffer_bytes = 64 << 20;  // what comes in while we do not run; every link's queue has 3 MiB
constexpr int priority = 10;            // among real-time processes

void must(bool done, const char* doing) {
    if (!done) throw std::runtime_error(fmt::format("links' latencies: {}: {}", doing, std::strerror(errno)));
}

/// In another network namespace while it lives.
class Elsewhere {
  public:
    explicit Elsewhere(int there) : back_(open(own_namespace, O_RDONLY | O_CLOEXEC)) {
        must(back_ >= 0 && setns(there, CLONE_NEWNET) == 0, "setns");
    }
    ~Elsewhere() {
        setns(back_, CLONE_NEWNET);
        close(back_);
    }
    Elsewhere(const Elsewhere&) = delete;
    Elsewhere& operator=(const Elsewhere&) = delete;

  private:
    int back_;
};

/// Sees the frames of all devices here, with the time at which the kernel saw them.
int open_packet_socket() {
    const int file = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, htons(ETH_P_ALL));
    must(file >= 0, "packet socket");
    const int one = 1;
    const auto set = [&](int level, int option, int value) {
        return setsockopt(file, level, option, &value, sizeof value) == 0;
    };
    must(set(SOL_PACKET, PACKET_IGNORE_OUTGOING, one) && set(SOL_SOCKET, SO_TIMESTAMPNS, one) &&
             set(SOL_SOCKET, SO_RCVBUFFORCE, buffer_bytes) && set(SOL_SOCKET, SO_SNDBUFFORCE, buffer_bytes),
         "packet socket's options");
    set(SOL_PACKET, PACKET_QDISC_BYPASS, one);
    return file;
}

std::chrono::nanoseconds since_epoch(const timespec& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

/// How long ago the kernel saw a frame; none if it does not say.
std::chrono::nanoseconds age_of(msghdr& message, const timespec& now) {
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPNS) continue;
        timespec seen{};
        std::memcpy(&seen, CMSG_DATA(part), sizeof seen);
        const auto age = since_epoch(now) - since_epoch(seen);
        // The clock that it tells may be set meanwhile.
        return std::clamp<std::chrono::nanoseconds>(age, std::chrono::nanoseconds(0), std::chrono::seconds(1));
    }
    return std::chrono::nanoseconds(0);
}

}  // namespace

LabCables::LabCables() {
    const int back = open(own_namespace, O_RDONLY | O_CLOEXEC);
    const bool made = back >= 0 && unshare(CLONE_NEWNET) == 0;
    namespace_ = made ? open(own_namespace, O_RDONLY | O_CLOEXEC) : -1;
    const bool returned = made && setns(back, CLONE_NEWNET) == 0;
    if (back >= 0) close(back);
    must(returned && namespace_ >= 0, "network namespace");
}

LabCables::~LabCables() {
    if (socket_ >= 0) close(socket_);
    if (namespace_ >= 0) close(namespace_);
}

std::string LabCables::namespace_path() const {
    return fmt::format("/proc/{}/fd/{}", getpid(), namespace_);
}

void LabCables::connect(const std::vector<LongCable>& cables, const std::filesystem::path& scratch) {
    const Elsewhere there(namespace_);
    std::ofstream("/proc/sys/net/ipv6/conf/default/disable_ipv6") << 1;  // where there is IPv6
    std::vector<std::string> ends;
    for (const LongCable& cable : cables) ends.insert(ends.end(), {cable.a, cable.b});
    run_tool({"ip", "-batch"}, cable_links(cables), scratch);
    switch_off_offloads(ends, true);
    socket_ = open_packet_socket();
    memory_.resize(frames_at_once * largest_frame);
    for (const LongCable& cable : cables) {
        const int a = static_cast<int>(if_nametoindex(cable.a.c_str()));
        const int b = static_cast<int>(if_nametoindex(cable.b.c_str()));
        must(a != 0 && b != 0, cable.a.c_str());
        const auto latency = std::chrono::nanoseconds(static_cast<std::int64_t>(cable.latency_s * 1e9));
        ways_[a] = {b, latency, {}};
        ways_[b] = {a, latency, {}};
    }
    become_urgent();
}

/// A frame must not wait for programs that only compute. Not to be had everywhere; then frames are late at times.
void LabCables::become_urgent() const {
    sched_param parameter{};
    parameter.sched_priority = priority;
    sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameter);
}

void LabCables::carry_until_readable(int file) {
    while (true) {
        timespec left{};
        if (!under_way_.empty()) {
            const std::chrono::nanoseconds wait =
                std::max(under_way_.begin()->first - Clock::now(), Clock::duration::zero());
            left.tv_sec = static_cast<time_t>(wait.count() / 1'000'000'000);
            left.tv_nsec = static_cast<long>(wait.count() % 1'000'000'000);
        }
        std::array<pollfd, 2> files{pollfd{file, POLLIN, 0}, pollfd{socket_, POLLIN, 0}};
        ppoll(files.data(), files.size(), under_way_.empty() ? nullptr : &left, nullptr);
        if (files[0].revents != 0) return;
        take_in();
        let_out();
    }
}

void LabCables::take_in() {
    std::array<mmsghdr, frames_at_once> messages{};
    std::array<iovec, frames_at_once> parts{};
    std::array<sockaddr_ll, frames_at_once> from{};
    std::array<std::array<char, CMSG_SPACE(sizeof(timespec))>, frames_at_once> stamps{};
    int count = static_cast<int>(frames_at_once);
    while (count == static_cast<int>(frames_at_once)) {
        for (std::size_t i = 0; i < frames_at_once; ++i) {
            parts[i] = {memory_.data() + i * largest_frame, largest_frame};
            messages[i] = {};
            messages[i].msg_hdr.msg_name = &from[i];
            messages[i].msg_hdr.msg_namelen = sizeof from[i];
            messages[i].msg_hdr.msg_iov = &parts[i];
            messages[i].msg_hdr.msg_iovlen = 1;
            messages[i].msg_hdr.msg_control = stamps[i].data();
            messages[i].msg_hdr.msg_controllen = sizeof stamps[i];
        }
        count = recvmmsg(socket_, messages.data(), frames_at_once, MSG_DONTWAIT, nullptr);
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        const Clock::time_point same_now = Clock::now();
        for (std::size_t i = 0; static_cast<int>(i) < count; ++i) {
            const auto way = ways_.find(from[i].sll_ifindex);
            if (way == ways_.end()) continue;
            const Clock::time_point seen = same_now - age_of(messages[i].msg_hdr, now);
            way->second.last_due = std::max(way->second.last_due, seen + way->second.latency);
            const char* bytes = memory_.data() + i * largest_frame;
            under_way_.emplace(way->second.last_due, Frame{way->second.to, {bytes, bytes + messages[i].msg_len}});
        }
    }
}

void LabCables::let_out() {
    const auto late = under_way_.upper_bound(Clock::now());
    while (under_way_.begin() != late) {
        std::array<mmsghdr, frames_at_once> messages{};
        std::array<iovec, frames_at_once> parts{};
        std::array<sockaddr_ll, frames_at_once> to{};
        unsigned count = 0;
        auto frame = under_way_.begin();
        for (; frame != late && count < frames_at_once; ++frame, ++count) {
            parts[count] = {frame->second.bytes.data(), frame->second.bytes.size()};
            to[count].sll_family = AF_PACKET;
            to[count].sll_ifindex = frame->second.device;
            messages[count].msg_hdr.msg_name = &to[count];
            messages[count].msg_hdr.msg_namelen = sizeof to[count];
            messages[count].msg_hdr.msg_iov = &parts[count];
            messages[count].msg_hdr.msg_iovlen = 1;
        }
        const int sent = sendmmsg(socket_, messages.data(), count, 0);
        // What cannot be sent (its device goes as the lab ends) is lost, or all behind it would wait for ever.
        under_way_.erase(under_way_.begin(), std::next(under_way_.begin(), std::max(sent, 1)));
    }
}

}  // namespace bcastgen
