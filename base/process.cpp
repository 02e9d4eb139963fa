#include "base/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/outside_failure.hpp"

namespace bcastgen {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds patience_with_sigterm{2000};
constexpr milliseconds patience_with_open_pipes{500};  // a command's own children may keep its stdout open

/// A file descriptor that closes itself.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { close(); }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }
    [[nodiscard]] int number() const { return number_; }

  private:
    int number_ = -1;
};

std::pair<Descriptor, Descriptor> make_pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw OutsideFailure(fmt::format("no pipe could be made: {}", std::strerror(errno)));
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// While it lives, SIGINT, SIGTERM and SIGHUP do not kill us but are noted.
class SignalWatch {
  public:
    SignalWatch() {
        sigset_t watched;
        sigemptyset(&watched);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            struct sigaction action {};
            sigaction(signal, nullptr, &action);
            if (action.sa_handler != SIG_IGN) sigaddset(&watched, signal);  // nohup stays nohup
        }
        sigprocmask(SIG_BLOCK, &watched, &before_);
        descriptor_ = Descriptor(signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
    }
    SignalWatch(const SignalWatch&) = delete;
    SignalWatch& operator=(const SignalWatch&) = delete;
    ~SignalWatch() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

    [[nodiscard]] int descriptor() const { return descriptor_.number(); }
    [[nodiscard]] const sigset_t& before() const { return before_; }
    [[nodiscard]] int take() const {
        signalfd_siginfo info{};
        return read(descriptor_.number(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
    }

  private:
    sigset_t before_{};
    Descriptor descriptor_;
};

std::vector<std::string> environment_words(const std::map<std::string, std::string>& added) {
    std::vector<std::string> words;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string word(*entry);
        if (!added.contains(word.substr(0, word.find('=')))) words.push_back(word);
    }
    for (const auto& [name, value] : added) {
        if (!value.empty()) words.push_back(name + "=" + value);
    }
    return words;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

int exit_code_of(int status) {
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::filesystem::path program_of(const Command& command) {
    if (command.namespaces_of != 0) return command.words.at(0);  // only they see what is there
    const std::filesystem::path program = find_program(command.words.at(0));
    if (program.empty()) throw OutsideFailure(fmt::format("{} is not in PATH", command.words[0]));
    return program;
}

bool join(pid_t process, const char* kind, int type) {
    const Descriptor file(open(fmt::format("/proc/{}/ns/{}", process, kind).c_str(), O_RDONLY | O_CLOEXEC));
    return setns(file.number(), type) == 0;
}

/// fork(), with the child in a process's pid and mount namespaces. The pid namespace of children is a setting of the
/// parent, so ours changes for a moment.
pid_t fork_in(pid_t namespaces_of) {
    if (namespaces_of != 0 && !join(namespaces_of, "pid", CLONE_NEWPID)) {
        throw OutsideFailure(
            fmt::format("the namespaces of process {} cannot be joined: {}", namespaces_of, std::strerror(errno)));
    }
    const pid_t pid = fork();
    const int error = errno;
    if (pid == 0 && namespaces_of != 0) {
        if (!join(namespaces_of, "mnt", CLONE_NEWNS)) _exit(127);
    }
    if (pid != 0 && namespaces_of != 0) join(getpid(), "pid", CLONE_NEWPID);
    if (pid < 0) throw OutsideFailure(fmt::format("no process could be started: {}", std::strerror(error)));
    return pid;
}

// Ctrl-C in a terminal reaches the command as well as us, and the command may handle it. A signal that was sent to us
// alone ends us.
void leave_to_command(int signal, siginfo_t* info, void*) {
    if (info->si_code > 0) return;
    std::signal(signal, SIG_DFL);
    raise(signal);
}

/// A command that has been started.
class Child {
  public:
    Child(const Command& command, const SignalWatch& watch) {
        const std::filesystem::path program = program_of(command);
        auto [output_end, output_begin] = make_pipe();
        auto [errors_end, errors_begin] = make_pipe();
        std::vector<std::string> words = command.words;
        std::vector<std::string> environment = environment_words(command.environment);
        const std::vector<char*> arguments = pointers_to(words);
        const std::vector<char*> variables = pointers_to(environment);
        const pid_t parent = getpid();
        pid_ = fork_in(command.namespaces_of);
        if (pid_ == 0) {
            setpgid(0, 0);
            prctl(PR_SET_PDEATHSIG, SIGTERM);
            // The parent may have died before we asked to be told; from another pid namespace it cannot be seen.
            if (command.namespaces_of == 0 && getppid() != parent) _exit(127);
            sigprocmask(SIG_SETMASK, &watch.before(), nullptr);
            dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
            dup2(output_begin.number(), STDOUT_FILENO);
            dup2(errors_begin.number(), STDERR_FILENO);
            if (!command.directory.empty() && chdir(command.directory.c_str()) != 0) _exit(127);
            execve(program.c_str(), arguments.data(), variables.data());
            _exit(127);
        }
        setpgid(pid_, pid_);  // whichever of the two comes first
        pipes_ = {std::move(output_end), std::move(errors_end)};
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        if (!status_) end();
    }

    /// Ends the process group.
    void end() {
        kill(-pid_, SIGTERM);
        const auto deadline = Clock::now() + patience_with_sigterm;
        while (!ended() && Clock::now() < deadline) usleep(10000);
        kill(-pid_, SIGKILL);
        while (!ended()) usleep(1000);
    }

    /// True once the process has ended (its own children may still run).
    bool ended() {
        int status = 0;
        if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
        return status_.has_value();
    }

    [[nodiscard]] int exit_code() const { return exit_code_of(*status_); }

    std::array<Descriptor, 2>& pipes() { return pipes_; }

  private:
    pid_t pid_ = -1;
    std::optional<int> status_;
    std::array<Descriptor, 2> pipes_;  // its stdout, its stderr
};

/// Hands out whole lines of a text that grows.
class Lines {
  public:
    explicit Lines(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}
    void look(std::string_view text) {
        if (!on_line_) return;
        for (std::size_t end = 0; (end = text.find('\n', begin_)) != std::string_view::npos; begin_ = end + 1) {
            on_line_(text.substr(begin_, end - begin_));
        }
    }

  private:
    const std::function<void(std::string_view)>& on_line_;
    std::size_t begin_ = 0;
};

/// The moment at which a command will have used up its limits.
class Limits {
  public:
    explicit Limits(const Command& command)
        : silence_(command.silence_limit),
          end_(moment_after(command.time_limit)),
          end_of_silence_(moment_after(silence_)) {}
    void heard() { end_of_silence_ = moment_after(silence_); }
    [[nodiscard]] Clock::time_point end() const { return std::min(end_, end_of_silence_); }

  private:
    static Clock::time_point moment_after(milliseconds limit) {
        return limit.count() > 0 ? Clock::now() + limit : Clock::time_point::max();
    }
    milliseconds silence_;
    Clock::time_point end_;
    Clock::time_point end_of_silence_;
};

/// Reads what has come. Closes the pipe at its end.
void take(Descriptor& pipe, std::string& text) {
    std::array<char, 1 << 16> block{};
    const ssize_t count = read(pipe.number(), block.data(), block.size());
    if (count > 0) {
        text.append(block.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
        pipe.close();
    }
}

milliseconds until(Clock::time_point moment) {
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(moment - Clock::now()));
}

}  // namespace

Interrupted::Interrupted(int signal)
    : std::runtime_error(fmt::format("interrupted by signal {}", signal)), signal_(signal) {}

std::filesystem::path find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        const std::filesystem::path candidate = std::filesystem::path(folder) / name;
        if (access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) return candidate;
    }
    return {};
}

CommandOutcome run_command(const Command& command) {
    const SignalWatch watch;
    Child child(command, watch);
    CommandOutcome outcome;
    Lines lines(command.on_line);
    Limits limits(command);
    auto pipes_deadline = Clock::time_point::max();
    auto& [output, errors] = child.pipes();
    while (output.number() >= 0 || errors.number() >= 0 || !child.ended()) {
        std::array<pollfd, 3> files{pollfd{output.number(), POLLIN, 0}, pollfd{errors.number(), POLLIN, 0},
                                    pollfd{watch.descriptor(), POLLIN, 0}};
        // Closed pipes show that it has ended, unless children of its own keep them open: so check every now and then.
        const milliseconds tick(output.number() >= 0 || errors.number() >= 0 ? 100 : 2);
        poll(files.data(), files.size(), static_cast<int>(std::min(tick, until(limits.end())).count()));
        if (files[2].revents != 0) {
            if (const int signal = watch.take(); signal != 0) throw Interrupted(signal);  // ~Child ends the command
        }
        if (files[0].revents != 0) {
            take(output, outcome.output);
            limits.heard();
        }
        if (files[1].revents != 0) take(errors, outcome.errors);
        lines.look(outcome.output);
        if (Clock::now() >= limits.end()) {
            if (!outcome.timed_out && command.on_time_limit) command.on_time_limit();
            outcome.timed_out = true;
            child.end();
        }
        if (child.ended()) pipes_deadline = std::min(pipes_deadline, Clock::now() + patience_with_open_pipes);
        if (Clock::now() >= pipes_deadline) break;
    }
    outcome.exit_code = child.exit_code();
    return outcome;
}

int run_in_foreground(const Command& command) {
    const std::filesystem::path program = program_of(command);
    std::vector<std::string> words = command.words;
    const std::vector<char*> arguments = pointers_to(words);
    struct sigaction handler {};
    handler.sa_sigaction = leave_to_command;
    handler.sa_flags = SA_SIGINFO | SA_RESTART;
    const pid_t pid = fork_in(command.namespaces_of);
    if (pid == 0) {
        execv(program.c_str(), arguments.data());
        _exit(127);
    }
    std::array<struct sigaction, 2> before{};
    sigaction(SIGINT, &handler, &before[0]);
    sigaction(SIGQUIT, &handler, &before[1]);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    sigaction(SIGINT, &before[0], nullptr);
    sigaction(SIGQUIT, &before[1], nullptr);
    return exit_code_of(status);
}

CommandOutcome must_run(const Command& command, std::string_view doing) {
    CommandOutcome outcome = run_command(command);
    if (outcome.timed_out) throw OutsideFailure(fmt::format("{}: not done within the time limit", doing));
    if (outcome.exit_code != 0) {
        throw OutsideFailure(fmt::format("{} failed ({} returned {}):\n{}{}", doing, command.words[0],
                                         outcome.exit_code, outcome.errors, outcome.output));
    }
    return outcome;
}

}  // namespace bcastgen
