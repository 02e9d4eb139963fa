// The files that a lab's machines see: hosts, host files for the MPIs' launchers, and the scripts that reach machines.
#pragma once

#include <filesystem>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Where things are below a lab's directory.
namespace lab_path {
inline std::filesystem::path inside(const std::filesystem::path& lab) {
    return lab / "inside";
}
inline std::filesystem::path enter(const std::filesystem::path& lab) {
    return inside(lab) / "enter";
}
inline std::filesystem::path ssh(const std::filesystem::path& lab) {
    return inside(lab) / "bin/ssh";
}
inline std::filesystem::path idle_shim(const std::filesystem::path& lab) {
    return inside(lab) / "libidle_shim.so";
}
}  // namespace lab_path

/// Writes everything into lab_path::inside(lab). machine_pids are as processes of the lab see them.
void write_lab_files(const std::filesystem::path& lab, const Network& network, const std::vector<int>& machine_pids);

/// Writes the idle shim into lab_path::inside(lab). Returns the lab's /etc/ld.so.preload: the host's own and the shim.
[[nodiscard]] std::string preload_list(const std::filesystem::path& lab, const std::string& of_host);

}  // namespace bcastgen
