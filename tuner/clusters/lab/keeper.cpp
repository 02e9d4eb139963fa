#include "tuner/clusters/lab/keeper.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <thread>
#include <utility>

#include "base/outside_failure.hpp"
#include "base/text_file.hpp"
#include "tuner/clusters/lab/cables.hpp"
#include "tuner/clusters/lab/files.hpp"
#include "tuner/clusters/lab/network_tools.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr char released = 'r';
constexpr std::string_view lab_is_up = "up";
constexpr int machine_namespaces = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC;
constexpr int most_setup_ms = 120'000;
constexpr std::chrono::seconds most_forwarding{5};
constexpr std::chrono::seconds most_farewell{10};

// Inside the keeper and its machines every failure is one of these; the tool makes it an OutsideFailure.
struct SetupError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

void must(bool done, const std::string& doing) {
    if (!done) throw SetupError(fmt::format("{}: {}", doing, std::strerror(errno)));
}

void mount_on(const char* type, const fs::path& place, unsigned long flags = 0) {
    must(mount(type, place.c_str(), type, flags, nullptr) == 0, fmt::format("mount {} on {}", type, place.string()));
}

void write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(file, text.data(), text.size());
        if (count <= 0) return;  // nobody reads it any more
        text.remove_prefix(static_cast<std::size_t>(count));
    }
}

struct Pipe {
    int out = -1;
    int in = -1;
};

Pipe make_pipe() {
    std::array<int, 2> ends{};
    must(pipe2(ends.data(), O_CLOEXEC) == 0, "pipe");
    return {ends[0], ends[1]};
}

void close_all_but(const std::vector<int>& kept) {
    const long most = sysconf(_SC_OPEN_MAX);
    std::vector<int> open;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
        open.push_back(std::atoi(entry.path().filename().c_str()));
    }
    for (const int file : open) {
        if (file > STDERR_FILENO && file < most && std::find(kept.begin(), kept.end(), file) == kept.end()) {
            close(file);
        }
    }
}

void silence() {
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, file);
}

/// A setting of this network namespace; kernels without IPv6 lack some.
void set_network(const char* setting, int value) {
    if (const fs::path file = fs::path("/proc/sys/net") / setting; fs::exists(file)) std::ofstream(file) << value;
}

/// What a machine's process does first: take namespaces of its own. They are not wired yet.
void become_machine(const Machine& machine) {
    prctl(PR_SET_NAME, ("lab:" + machine.name).c_str());
    must(unshare(machine_namespaces) == 0, "unshare");
    must(sethostname(machine.name.data(), machine.name.size()) == 0, "sethostname " + machine.name);
    mount_on("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC);  // shows the devices of this network namespace
    set_network("ipv6/conf/default/accept_dad", 0);               // no other machine has its address: usable at once
    if (fs::is_directory("/dev/shm")) mount_on("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV);
}

void wire_machine(const Network& network, int machine, const LabSettings& settings, const fs::path& inside) {
    const fs::path scratch = inside / fmt::format("setup.{}", machine);
    run_tool({"ip", "-batch"}, machine_links(network, machine), scratch);
    run_tool({"tc", "-batch"}, machine_shaping(network, machine, settings), scratch);
    run_tool({"nft", "-f"}, machine_loss(settings), scratch);
    switch_off_offloads({port_device(network)}, !long_cables(network, settings).empty());
}

/// Has the dynamic loader of the lab's processes, and of nobody else, load the idle shim into each of them. Unlike
/// LD_PRELOAD, which programs and people set as they please, its list stays.
void preload_idle_shim(const fs::path& lab) {
    const fs::path inside = lab_path::inside(lab);
    const fs::path place = "/etc/ld.so.preload";
    const std::string list = preload_list(lab, text_of(place).value_or(""));
    if (fs::exists(place)) {
        const fs::path ours = inside / "ld.so.preload";
        std::ofstream(ours) << list;
        must(mount(ours.c_str(), place.c_str(), nullptr, MS_BIND, nullptr) == 0, "mount a file over " + place.string());
        return;
    }
    fs::create_directory(inside / "etc");
    fs::create_directory(inside / "etc.work");
    const std::string layers = fmt::format("lowerdir=/etc,upperdir={0}/etc,workdir={0}/etc.work", inside.string());
    must(mount("overlay", "/etc", "overlay", 0, layers.c_str()) == 0, "mount an overlay on /etc");
    std::ofstream(place) << list;
}

/// The keeper's work, in its own process.
class Building {
  public:
    Building(const Network& network, const LabSettings& settings, const fs::path& directory)
        : network_(network), settings_(settings), directory_(directory), inside_(lab_path::inside(directory)) {}

    /// Returns what is to carry frames from now on, if anything.
    std::unique_ptr<LabCables> build() {
        prepare_mounts();
        start_machines();
        write_lab_files(directory_, network_, machine_pids_);
        wire_switches();
        wire_machines();
        await_forwarding();
        close(done_.out);
        return std::move(cables_);
    }

    [[nodiscard]] const std::vector<int>& machine_pids() const { return machine_pids_; }

  private:
    void prepare_mounts() {
        must(mount("none", "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0, "mount --make-rslave /");
        mount_on("proc", "/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC);
        mount_on("sysfs", "/sys", MS_NOSUID | MS_NODEV | MS_NOEXEC);
        mount_on("tmpfs", inside_, MS_NOSUID | MS_NODEV);  // /run itself may forbid programs
        std::ofstream(inside_ / "hosts") << hosts_text(network_);
        preload_idle_shim(directory_);
        must(mount((inside_ / "hosts").c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0,
             "mount a hosts file over /etc/hosts");
    }

    void start_machines() {
        wired_ = make_pipe();
        done_ = make_pipe();
        const int machines = static_cast<int>(network_.machines.size());
        for (int m = 0; m < machines; ++m) {
            const pid_t pid = fork();
            must(pid >= 0, "fork");
            if (pid == 0) run_machine(m);
            machine_pids_.push_back(pid);
        }
        close(done_.in);
        for (int m = 0; m < machines; ++m) hear_of_machine();
    }

    [[noreturn]] void run_machine(int m) {
        close_all_but({wired_.out, done_.in});  // of the lock, the keeper alone keeps a copy
        try {
            become_machine(network_.machines[static_cast<std::size_t>(m)]);
            write_all(done_.in, "\n");
            char nothing = 0;
            while (read(wired_.out, &nothing, 1) > 0) continue;  // until the keeper closes its end
            wire_machine(network_, m, settings_, inside_);
            write_all(done_.in, "\n");
        } catch (const std::exception& problem) {
            const std::string& name = network_.machines[static_cast<std::size_t>(m)].name;
            write_all(done_.in, fmt::format("{}: {}", name, problem.what()).substr(0, 500) + "\n");
        }
        close_all_but({});
        while (true) pause();
    }

    // Every machine writes a line per step, empty if all is well. Lines are short: none is torn.
    void hear_of_machine() {
        std::string line;
        char c = 0;
        while (true) {
            must(read(done_.out, &c, 1) == 1, "a machine's process ended");
            if (c == '\n') break;
            line += c;
        }
        if (!line.empty()) throw SetupError(line);
    }

    void wire_switches() {
        set_network("ipv6/conf/default/disable_ipv6", 1);  // switches do not speak
        const std::vector<LongCable> cables = long_cables(network_, settings_);
        if (!cables.empty()) cables_ = std::make_unique<LabCables>();
        const std::string cables_namespace = cables_ ? cables_->namespace_path() : "";
        run_tool({"ip", "-batch"}, switch_links(network_, settings_, machine_pids_, cables_namespace),
                 inside_ / "setup");
        if (cables_) cables_->connect(cables, inside_ / "setup");
        run_tool({"tc", "-batch"}, switch_shaping(network_, settings_), inside_ / "setup");
        run_tool({"nft", "-f"}, cable_choice(network_), inside_ / "setup");
        switch_off_offloads(switch_devices(network_), !cables.empty());
    }

    void wire_machines() {
        close(wired_.in);
        close(wired_.out);
        for (std::size_t m = 0; m < network_.machines.size(); ++m) hear_of_machine();
    }

    // Bridges take up their ports a little after these are up.
    void await_forwarding() {
        const auto deadline = std::chrono::steady_clock::now() + most_forwarding;
        for (const std::string& device : switch_devices(network_)) {
            const fs::path state = fs::path("/sys/class/net") / device / "brport/state";
            int value = 0;
            while (!(std::ifstream(state) >> value && value == 3)) {  // BR_STATE_FORWARDING
                if (std::chrono::steady_clock::now() > deadline) {
                    throw SetupError(fmt::format("switch port {} does not come up", device));
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        }
    }

    const Network& network_;
    const LabSettings& settings_;
    const fs::path& directory_;
    const fs::path inside_;
    std::vector<int> machine_pids_;
    std::unique_ptr<LabCables> cables_;
    Pipe wired_;  // closed when the machines' devices are there
    Pipe done_;   // from the machines
};

/// Removes the lab's directory, and the one above if no other lab needs it: whoever makes a lab locks that one first.
void remove_directory(const fs::path& directory) {
    umount2(lab_path::inside(directory).c_str(), MNT_DETACH);
    const int above = open(directory.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    flock(above, LOCK_EX);
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    rmdir(directory.parent_path().c_str());
}

[[noreturn]] void run_keeper(const Network& network, const LabSettings& settings, const fs::path& directory, int lock,
                             int life, int report) {
    setsid();  // Ctrl-C is for the tool
    prctl(PR_SET_NAME, "bcastgen-lab");
    signal(SIGPIPE, SIG_IGN);
    std::unique_ptr<LabCables> cables;
    try {
        silence();
        must(chdir("/") == 0, "chdir /");
        close_all_but({lock, life, report});
        Building building(network, settings, directory);
        cables = building.build();
        write_all(report, fmt::format("{} {}", lab_is_up, fmt::join(building.machine_pids(), " ")));
    } catch (const std::exception& problem) {
        write_all(report, problem.what());
        _exit(1);
    }
    close(report);
    signal(SIGCHLD, SIG_IGN);  // orphans of the lab come to us; nobody asks for them
    char order = 0;
    if (cables) cables->carry_until_readable(life);
    if (read(life, &order, 1) == 1 && order == released) {
        if (cables) cables->carry_until_readable(-1);
        while (true) pause();
    }
    remove_directory(directory);
    _exit(0);
}

}  // namespace

Keeper start_keeper(const Network& network, const LabSettings& settings, const fs::path& directory, int lock) {
    const Pipe life = make_pipe();
    const Pipe report = make_pipe();
    // As fork() does it, with new namespaces for the child. (unshare() would move all children of ours from now on.)
    const long pid =
        syscall(SYS_clone, CLONE_NEWPID | machine_namespaces | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
    if (pid < 0) {
        const int error = errno;
        for (const int file : {life.out, life.in, report.out, report.in}) close(file);
        throw OutsideFailure(
            fmt::format("this system lets us make no namespaces ({}); in a container, start that with --privileged",
                        std::strerror(error)));
    }
    if (pid == 0) run_keeper(network, settings, directory, lock, life.out, report.in);
    close(life.out);
    close(report.in);
    return {static_cast<pid_t>(pid), life.in, report.out};
}

std::vector<int> await_lab(Keeper& keeper) {
    std::string words;
    std::array<char, 4096> block{};
    pollfd file{keeper.report, POLLIN, 0};
    bool late = false;
    for (ssize_t count = 1; count > 0 && !late;) {
        late = poll(&file, 1, most_setup_ms) == 0;
        count = late ? 0 : read(keeper.report, block.data(), block.size());
        words.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(0, count)));
    }
    std::istringstream parts(words);
    std::string first;
    parts >> first;
    if (!late && first == lab_is_up) return {std::istream_iterator<int>(parts), {}};
    kill(keeper.pid, SIGKILL);
    end_keeper(keeper);
    if (late) words = fmt::format("not up after {} s", most_setup_ms / 1000);
    throw OutsideFailure("the lab could not be built: " + (words.empty() ? "its keeper was killed" : words));
}

void release_keeper(Keeper& keeper) {
    write_all(keeper.life, std::string_view(&released, 1));
    close(keeper.life);
    keeper = {};
}

void end_keeper(Keeper& keeper) {
    if (keeper.pid == 0) return;
    close(keeper.life);
    close(keeper.report);
    const auto deadline = std::chrono::steady_clock::now() + most_farewell;
    while (waitpid(keeper.pid, nullptr, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > deadline) kill(keeper.pid, SIGKILL);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    keeper = {};
}

}  // namespace bcastgen
