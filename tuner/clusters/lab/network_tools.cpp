#include "tuner/clusters/lab/network_tools.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/process.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

// A plain user's PATH, which su keeps, lacks the administrators' folders.
fs::path find_tool(const std::string& name) {
    for (const std::string& candidate : {name, "/usr/sbin/" + name, "/sbin/" + name}) {
        if (const fs::path found = find_program(candidate); !found.empty()) return found;
    }
    return {};
}

int wait_for(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

void run_tool(std::vector<std::string> words, const std::string& text, const fs::path& scratch) {
    if (text.empty()) return;
    const std::string input = scratch.string() + ".in";
    const std::string errors = scratch.string() + ".err";
    std::ofstream(input) << text;
    words.push_back(input);
    const fs::path program = find_tool(words[0]);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t pid = fork();
    if (pid == 0) {
        const int file = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        dup2(file, STDOUT_FILENO);
        dup2(file, STDERR_FILENO);
        execv(program.c_str(), arguments.data());
        _exit(127);
    }
    if (pid < 0 || wait_for(pid) != 0) {
        std::ifstream file(errors);
        throw std::runtime_error(fmt::format("{} failed: {}", fmt::join(words.begin(), words.end() - 1, " "),
                                             std::string(std::istreambuf_iterator<char>(file), {})));
    }
    fs::remove(input);
    fs::remove(errors);
}

void switch_off_offloads(const std::vector<std::string>& devices, bool checksums) {
    std::vector<std::uint32_t> offloads{ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO};
    if (checksums) offloads.push_back(ETHTOOL_STXCSUM);
    const int any_socket = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    for (const std::string& device : devices) {
        for (const std::uint32_t what : offloads) {
            ethtool_value off{what, 0};
            ifreq request{};
            device.copy(static_cast<char*>(request.ifr_name), IFNAMSIZ - 1);
            request.ifr_data = reinterpret_cast<char*>(&off);
            if (ioctl(any_socket, SIOCETHTOOL, &request) == 0) continue;
            const int error = errno;
            close(any_socket);
            throw std::runtime_error(fmt::format("{}: offloads stay on: {}", device, std::strerror(error)));
        }
    }
    close(any_socket);
}

std::vector<std::string> missing_tools(bool needs_nft) {
    std::vector<std::string> missing;
    for (const std::string name : {"ip", "tc", "nsenter", "nft"}) {
        if ((name != "nft" || needs_nft) && find_tool(name).empty()) missing.push_back(name);
    }
    return missing;
}

}  // namespace bcastgen
