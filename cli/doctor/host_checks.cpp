#include "cli/doctor/host_checks.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "bcast/facts/setting_names.hpp"
#include "codegen/build/library_build.hpp"
#include "tuner/clusters/kinds.hpp"

namespace bcastgen {

namespace {

constexpr rlim_t enough_files = 1024;
constexpr double enough_shared_mib = 64;

/// File systems that one host has for itself, as `stat -f` names them.
constexpr std::array<std::string_view, 9> local_file_systems = {"ext2/ext3", "xfs",  "btrfs", "tmpfs", "ramfs",
                                                                "overlayfs", "f2fs", "zfs",   "jfs"};

void look_at_mpis(std::vector<Symptom>& symptoms) {
    try {
        for (const MpiCompiler& compiler : choose_compilers({})) {
            symptoms.push_back({Health::well, compiler.mpi, "is compiled with " + compiler.compiler.string(), ""});
        }
    } catch (const OutsideFailure& failure) {
        symptoms.push_back({Health::ill, "MPI", failure.what(), ""});
    }
}

Symptom look_at_kind(const ClusterKind& kind) {
    const std::string of = "--on " + kind.name;
    if (kind.needs_root && geteuid() != 0)
        return {Health::note, of, "needs root", "run it as root, on a host of your own"};
    for (const std::string& program : kind.programs) {
        if (!find_program(program).empty()) continue;
        return {Health::note, of, program + " is not in PATH", "install " + kind.programs_from};
    }
    return {Health::well, of, "has all programs that it needs", ""};
}

Symptom look_at_open_files() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const auto files = static_cast<unsigned long long>(limit.rlim_cur);
    if (limit.rlim_cur >= enough_files) return {Health::well, "open files", fmt::format("{} at most", files), ""};
    return {Health::ill, "open files", fmt::format("{} at most, and over TCP a rank takes one for each peer", files),
            "ulimit -n 4096, or LimitNOFILE of the batch system's daemon"};
}

Symptom look_at_locked_memory() {
    rlimit limit{};
    getrlimit(RLIMIT_MEMLOCK, &limit);
    if (limit.rlim_cur == RLIM_INFINITY) return {Health::well, "locked memory", "is not limited", ""};
    const auto kib = static_cast<unsigned long long>(limit.rlim_cur) / 1024;
    if (!std::filesystem::exists("/sys/class/infiniband")) {
        return {Health::well, "locked memory", fmt::format("{} KiB at most, and there is no InfiniBand", kib), ""};
    }
    return {Health::ill, "locked memory", fmt::format("{} KiB at most, and InfiniBand locks what it sends", kib),
            "ulimit -l unlimited, or LimitMEMLOCK=infinity of the batch system's daemon"};
}

Symptom look_at_shared_memory() {
    struct statvfs room {};
    if (statvfs("/dev/shm", &room) != 0) {
        return {Health::ill, "/dev/shm", "is not there, and MPIs keep their shared memory in it",
                "mount a tmpfs there"};
    }
    const double mib = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize) / (1 << 20);
    if (mib >= enough_shared_mib) return {Health::well, "/dev/shm", fmt::format("{:.0f} MiB free", mib), ""};
    return {Health::ill, "/dev/shm", fmt::format("{:.0f} MiB free, and MPIs keep their shared memory in it", mib),
            "remove what former jobs have left there"};
}

Symptom look_at_directory() {
    Command command;
    command.words = {"stat", "--file-system", "--format=%T", "."};
    const CommandOutcome outcome = run_command(command);
    std::string type = outcome.output.substr(0, outcome.output.find('\n'));
    if (outcome.exit_code != 0 || type.empty())
        return {Health::note, "this directory", "is on an unknown file system", ""};
    for (const std::string_view local : local_file_systems) {
        if (type != local) continue;
        return {Health::note, "this directory", fmt::format("is on {}, which other machines seldom see", type),
                "put libraries, and run tune, where all machines of a job see them"};
    }
    return {Health::well, "this directory", fmt::format("is on {}", type), ""};
}

}  // namespace

std::vector<Symptom> look_at_programs() {
    std::vector<Symptom> symptoms;
    look_at_mpis(symptoms);
    for (const ClusterKind& kind : cluster_kinds()) symptoms.push_back(look_at_kind(kind));
    return symptoms;
}

std::vector<Symptom> look_at_limits() {
    return {look_at_open_files(), look_at_locked_memory(), look_at_shared_memory(), look_at_directory()};
}

std::vector<Symptom> look_at_settings() {
    std::vector<Symptom> symptoms;
    for (const std::string& line : bcast::unknown_settings(environ)) {
        symptoms.push_back({Health::ill, "settings", line, "correct it, or unset it"});
    }
    for (const bcast::Setting& setting : bcast::setting_rows) {
        const char* value = std::getenv(setting.name);
        if (value == nullptr) continue;
        const bool off = std::string_view(setting.name) == "BCASTGEN_DISABLE" && std::string_view(value) != "0";
        symptoms.push_back({off ? Health::ill : Health::note, "settings",
                            fmt::format("{}={} is set", setting.name, value),
                            off ? "unset it: the library does nothing" : setting.effect});
    }
    return symptoms;
}

}  // namespace bcastgen
