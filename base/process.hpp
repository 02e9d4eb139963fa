// Running other programs: launchers and compilers.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

/// A program to run with its arguments, without a shell.
struct Command {
    std::vector<std::string> words;                  ///< the program (looked up in PATH), then its arguments
    std::map<std::string, std::string> environment;  ///< added to our environment; an empty value removes a variable
    std::filesystem::path directory;                 ///< to run in; empty: the current one
    std::chrono::milliseconds time_limit{0};         ///< 0: none
    std::function<void(std::string_view)> on_line;   ///< each line of its stdout as it comes; may be empty
    std::function<void()> on_time_limit{};           ///< called before it is ended for either limit; may be empty
    std::chrono::milliseconds silence_limit{0};      ///< for how long it may write nothing to its stdout; 0: no limit
    pid_t namespaces_of = 0;  ///< runs in this process's pid and mount namespaces, words[0] a path there; 0: in ours
};

struct CommandOutcome {
    int exit_code = 0;  ///< 128 + signal for one that a signal ended
    bool timed_out = false;
    std::string output;
    std::string errors;
};

/// SIGINT, SIGTERM or SIGHUP came while a command ran; the command has been ended.
class Interrupted : public std::runtime_error {
  public:
    explicit Interrupted(int signal);
    [[nodiscard]] int signal() const { return signal_; }

  private:
    int signal_;
};

/// Runs a command to its end with an empty stdin and collects what it writes. At either limit, and on Interrupted,
/// its whole process group is ended: SIGTERM first, SIGKILL after two seconds. If this program dies, the command gets
/// SIGTERM. Throws OutsideFailure if it cannot be started.
CommandOutcome run_command(const Command& command);

/// Runs a command that must succeed. Throws OutsideFailure with `doing` and the command's words if it does not.
CommandOutcome must_run(const Command& command, std::string_view doing);

/// Runs a command to its end on our own stdin, stdout and stderr; only its words and namespaces_of are used. Meanwhile
/// Ctrl-C in a terminal is left to the command and does not end us. Returns its exit code, 128 + signal
/// for one that a signal ended.
int run_in_foreground(const Command& command);

/// Where PATH has a program; empty if it does not.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

}  // namespace bcastgen
