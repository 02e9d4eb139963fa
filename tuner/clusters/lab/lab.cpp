#include "tuner/clusters/lab/lab.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/outside_failure.hpp"
#include "tuner/clusters/lab/files.hpp"
#include "tuner/clusters/lab/network_tools.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_host_name = 64;  // the kernel's
constexpr int most_farewell_ms = 10'000;

/// A directory that is open, perhaps locked; the lock goes with the last copy of the file descriptor.
class OpenDirectory {
  public:
    explicit OpenDirectory(const fs::path& path) : file_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
    OpenDirectory(const OpenDirectory&) = delete;
    OpenDirectory& operator=(const OpenDirectory&) = delete;
    ~OpenDirectory() {
        if (file_ >= 0) close(file_);
    }
    [[nodiscard]] int number() const { return file_; }
    [[nodiscard]] bool lock(int how) const { return file_ >= 0 && flock(file_, LOCK_EX | how) == 0; }
    /// Whether `path` still means this directory, and not a later one of its name.
    [[nodiscard]] bool is_still(const fs::path& path) const {
        struct stat here {};
        struct stat there {};
        return file_ >= 0 && fstat(file_, &here) == 0 && stat(path.c_str(), &there) == 0 &&
               here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    }

  private:
    int file_;
};

void refuse_without_root() {
    if (geteuid() == 0) return;
    throw OutsideFailure("an emulated cluster needs root, to make network namespaces; run this with sudo");
}

fs::path state_directory() {
    refuse_without_root();
    if (access("/run", W_OK) == 0) return "/run/bcastgen";
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    if (own == nullptr || *own == '\0') {
        throw OutsideFailure("/run cannot be written into; set XDG_RUNTIME_DIR to a directory for the lab's state");
    }
    return fs::path(own) / "bcastgen";
}

std::string own_pid_namespace() {
    std::error_code ignored;
    return fs::read_symlink("/proc/self/ns/pid", ignored).string();
}

nlohmann::json to_json(const LabRecord& lab) {
    return {{"topology", lab.topology},
            {"machines", lab.machines},
            {"fastest_port_Bps", lab.fastest_port_Bps},
            {"loss", lab.loss},
            {"keeper", lab.keeper},
            {"owner", lab.owner},
            {"pid_namespace", lab.pid_namespace}};
}

void write_record(const LabRecord& lab) {
    const fs::path fresh = lab.directory / "lab.json.new";
    std::ofstream out(fresh);
    out << to_json(lab).dump(2) << '\n';
    out.close();
    if (!out) throw OutsideFailure(fmt::format("{} cannot be written", fresh.string()));
    fs::rename(fresh, lab.directory / "lab.json");
}

/// False for a lab that is only being set up, or whose keeper we could not name.
bool read_record(const fs::path& directory, LabRecord& lab) {
    std::ifstream in(directory / "lab.json");
    const nlohmann::json json = nlohmann::json::parse(in, nullptr, false);
    if (!json.is_object()) return false;
    lab.name = directory.filename().string();
    lab.directory = directory;
    lab.topology = json.value("topology", "");
    lab.machines = json.value("machines", std::vector<std::string>{});
    lab.fastest_port_Bps = json.value("fastest_port_Bps", 0.0);
    lab.loss = json.value("loss", 0.0);
    lab.keeper = json.value("keeper", 0);
    lab.owner = json.value("owner", 0);
    lab.pid_namespace = json.value("pid_namespace", "");
    return lab.keeper > 0 && lab.pid_namespace == own_pid_namespace();
}

void refuse_without_means(const Network& network, const LabSettings& settings) {
    refuse_without_root();
    const bool several_cables = std::any_of(network.trunks.begin(), network.trunks.end(),
                                            [](const Trunk& trunk) { return trunk.in_tree && trunk.cables > 1; });
    const std::vector<std::string> missing = missing_tools(settings.loss > 0 || several_cables);
    if (!missing.empty()) {
        throw OutsideFailure(fmt::format(
            "an emulated cluster needs {}; install iproute2, util-linux and, for losses and trunks of several cables, "
            "nftables",
            fmt::join(missing, ", ")));
    }
    for (const Machine& machine : network.machines) {
        if (machine.name.size() <= longest_host_name) continue;
        throw OutsideFailure(
            fmt::format("{}: no host can have a name of more than {} characters", machine.name, longest_host_name));
    }
}

/// The state directory, made if need be, with its lock taken: no other program makes or removes labs meanwhile.
class LockedState {
  public:
    LockedState() : path_(state_directory()) {
        const std::string text = path_.string();
        if (text.find_first_of(" \t\n\"'\\$`") != std::string::npos) {
            throw OutsideFailure(fmt::format("{}: name a directory that a shell takes as it is", text));
        }
        do {
            fs::create_directories(path_);
            directory_.emplace(path_);
        } while (directory_->lock(0) && !directory_->is_still(path_));  // its last lab may just have gone
    }
    ~LockedState() { rmdir(path_.c_str()); }  // fails, and should, unless it is empty
    LockedState(const LockedState&) = delete;
    LockedState& operator=(const LockedState&) = delete;
    [[nodiscard]] const fs::path& path() const { return path_; }

  private:
    fs::path path_;
    std::optional<OpenDirectory> directory_;
};

/// Removes directories whose keeper has gone. Returns the others.
std::vector<fs::path> living_labs(const LockedState& state) {
    std::vector<fs::path> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(state.path())) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    std::erase_if(found, [](const fs::path& directory) {
        const OpenDirectory opened(directory);
        if (!opened.lock(LOCK_NB)) return opened.number() < 0;
        std::error_code ignored;
        fs::remove_all(directory, ignored);
        return true;
    });
    return found;
}

/// Makes the directory of a new lab.
fs::path claim_directory(const LockedState& state, const std::string& topology) {
    living_labs(state);
    for (int number = 1;; ++number) {
        const fs::path directory = state.path() / (number == 1 ? topology : fmt::format("{}.{}", topology, number));
        if (fs::create_directory(directory)) return directory;
    }
}

void remove_in_turn(const fs::path& directory) {
    std::error_code ignored;
    if (!fs::exists(directory, ignored)) return;
    const LockedState state;
    fs::remove_all(directory, ignored);
}

}  // namespace

Lab::Lab(const Network& network, const LabSettings& settings) {
    refuse_without_means(network, settings);
    record_.topology = network.name;
    for (const Machine& machine : network.machines) record_.machines.push_back(machine.name);
    record_.fastest_port_Bps = fastest_port_Bps(network, settings);
    record_.loss = settings.loss;
    record_.owner = getpid();
    record_.pid_namespace = own_pid_namespace();
    try {
        {
            const LockedState state;
            record_.directory = claim_directory(state, network.name);
            record_.name = record_.directory.filename().string();
            const OpenDirectory lock(record_.directory);
            fs::create_directory(lab_path::inside(record_.directory));
            if (!lock.lock(0)) throw OutsideFailure(fmt::format("{} cannot be locked", record_.directory.string()));
            keeper_ = start_keeper(network, settings, record_.directory, lock.number());
        }
        record_.keeper = keeper_.pid;
        write_record(record_);
        machine_pids_ = await_lab(keeper_);
    } catch (const std::exception& problem) {
        end_keeper(keeper_);
        remove_in_turn(record_.directory);
        throw OutsideFailure(problem.what());
    }
}

Lab::~Lab() {
    const bool ours = keeper_.pid != 0;
    end_keeper(keeper_);
    if (ours) remove_in_turn(record_.directory);  // its keeper has, unless it was killed
}

void Lab::leave_standing() {
    record_.owner = 0;
    write_record(record_);
    release_keeper(keeper_);
}

std::vector<LabRecord> find_labs() {
    const LockedState state;
    std::vector<LabRecord> labs;
    for (const fs::path& directory : living_labs(state)) {
        LabRecord lab;
        if (read_record(directory, lab)) labs.push_back(lab);
    }
    return labs;
}

void take_down(const LabRecord& lab) {
    const int keeper = static_cast<int>(syscall(SYS_pidfd_open, lab.keeper, 0));
    {
        const OpenDirectory opened(lab.directory);
        const bool lives = opened.number() >= 0 && !opened.lock(LOCK_NB);  // so its number is still its own
        if (lives && keeper >= 0) syscall(SYS_pidfd_send_signal, keeper, SIGKILL, nullptr, 0);
    }
    pollfd ended{keeper, POLLIN, 0};
    const bool gone = keeper < 0 || poll(&ended, 1, most_farewell_ms) > 0;  // readable once its last process has ended
    if (keeper >= 0) close(keeper);
    if (!gone) throw OutsideFailure(fmt::format("lab {} does not end; see process {}", lab.name, lab.keeper));
    const LockedState state;
    living_labs(state);
}

Command command_in(const LabRecord& lab, const std::string& machine, const std::vector<std::string>& words,
                   const fs::path& directory) {
    Command command;
    command.words = {lab_path::enter(lab.directory), directory, machine};
    command.words.insert(command.words.end(), words.begin(), words.end());
    command.namespaces_of = lab.keeper;
    return command;
}

}  // namespace bcastgen
