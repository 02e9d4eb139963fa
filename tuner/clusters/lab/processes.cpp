// What runs in a lab: the members of its keeper's pid namespace.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <sstream>

#include "tuner/clusters/lab/lab.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

std::string namespace_of(pid_t pid, const char* kind) {
    std::error_code gone;
    return fs::read_symlink(fmt::format("/proc/{}/ns/{}", pid, kind), gone).string();
}

std::vector<pid_t> members(const std::string& pid_namespace) {
    std::vector<pid_t> found;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
        const std::string name = entry.path().filename().string();
        pid_t pid = 0;
        const auto end = std::from_chars(name.data(), name.data() + name.size(), pid).ptr;
        if (end == name.data() + name.size() && namespace_of(pid, "pid") == pid_namespace) found.push_back(pid);
    }
    return found;
}

struct Status {
    std::string program;
    char state = '?';
    int inner_pid = 0;  ///< as the process numbers itself
};

Status status_of(pid_t pid) {
    std::ifstream in(fmt::format("/proc/{}/status", pid));
    Status status;
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        if (key == "Name:") words >> status.program;
        if (key == "State:") words >> status.state;
        if (key != "NSpid:") continue;
        while (words >> status.inner_pid) continue;
    }
    return status;
}

}  // namespace

std::vector<LabProcess> Lab::processes() const {
    std::map<std::string, std::string> machine_of;  // by network namespace
    std::vector<LabProcess> found;
    std::vector<pid_t> others;
    for (const pid_t pid : members(namespace_of(record_.keeper, "pid"))) {
        const int inner = status_of(pid).inner_pid;
        const auto at = std::find(machine_pids_.begin(), machine_pids_.end(), inner);
        if (at != machine_pids_.end()) {
            machine_of[namespace_of(pid, "net")] =
                record_.machines[static_cast<std::size_t>(at - machine_pids_.begin())];
        } else if (pid != record_.keeper) {
            others.push_back(pid);
        }
    }
    for (const pid_t pid : others) {
        const Status status = status_of(pid);
        if (status.inner_pid == 0) continue;  // it has just ended
        const auto machine = machine_of.find(namespace_of(pid, "net"));
        found.push_back({pid, machine == machine_of.end() ? "" : machine->second, status.program, status.state});
    }
    return found;
}

void Lab::end_processes() const {
    // Again until none is left: one that we end may just have started another.
    for (std::vector<LabProcess> left = processes(); !left.empty(); left = processes()) {
        bool any = false;
        for (const LabProcess& process : left) any |= process.state != 'Z' && kill(process.pid, SIGKILL) == 0;
        if (!any) break;
    }
}

}  // namespace bcastgen
