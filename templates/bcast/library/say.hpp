// What the library says on stderr, in one line that begins with its name.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>

namespace bcast {

/// In one piece, so that lines of several ranks do not mix.
inline void say(const std::string& line) {
    std::fputs(("bcastgen: " + line + "\n").c_str(), stderr);
}

namespace detail {

/// A process that all ranks of a job on this machine come from: who began their session, or the launcher if it began
/// one for each rank.
inline int launcher() {
    const int leader = getsid(0);
    int parent = 0;
    if (std::FILE* file = std::fopen(("/proc/" + std::to_string(leader) + "/stat").c_str(), "re")) {
        char text[512] = {};
        const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
        std::fclose(file);
        text[length] = '\0';
        const char* name_ends = std::strrchr(text, ')');
        if (name_ends != nullptr) std::sscanf(name_ends, ") %*c %d", &parent);
    }
    return parent > 1 ? parent : leader;
}

/// True in the first process of a job on this machine that asks about `topic`, as long as that process lives: it holds
/// a name without a file (a socket in Linux's abstract namespace) that nobody ever connects to.
inline bool first_on_this_machine(const char* topic) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name =
        std::string("bcastgen-") + topic + "-" + std::to_string(getuid()) + "-" + std::to_string(launcher());
    const std::size_t length = std::min(name.size(), sizeof address.sun_path - 1);
    std::memcpy(address.sun_path + 1, name.data(), length);  // a null character comes first
    const int holder = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (holder < 0) return true;
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
    if (bind(holder, reinterpret_cast<const sockaddr*>(&address), size) == 0)
        return true;  // held until the process ends
    const bool taken = errno == EADDRINUSE;
    close(holder);
    return !taken;
}

}  // namespace detail

/// Says what every rank of this machine would say, if no other has said anything of `topic` yet.
inline void say_for_this_machine(const char* topic, const std::string& line) {
    if (detail::first_on_this_machine(topic)) say(line);
}

}  // namespace bcast
