// Running programs from tests, as a shell would.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace bcastgen::testing {

struct Outcome {
    int exit_code = -1;  ///< -1: it did not come to its end
    std::string out;
    std::string err;
};

/// A directory of one test's own, removed with it.
class ScratchDirectory {
  public:
    ScratchDirectory() {
        std::string path = (std::filesystem::temp_directory_path() / "bcastgen-test-XXXXXX").string();
        EXPECT_NE(mkdtemp(path.data()), nullptr);
        path_ = path;
    }
    ~ScratchDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// The path of a new file in it.
    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return (path_ / name).string();
    }

  private:
    std::filesystem::path path_;
};

/// How a program is run, besides its arguments.
struct Surroundings {
    std::string directory = BCASTGEN_SOURCE_DIR;
    std::string out_to{};                                            ///< takes stdout instead of Outcome::out
    std::vector<std::pair<std::string, std::string>> environment{};  ///< variables that differ from the test's own
};

namespace detail {

/// The test's environment with `changes`.
inline std::vector<std::string> changed_environment(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::vector<std::string> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string text = *variable;
        bool changed = false;
        for (const auto& [name, value] : changes) changed = changed || text.rfind(name + "=", 0) == 0;
        if (!changed) variables.push_back(text);
    }
    for (const auto& [name, value] : changes) variables.push_back(name + "=" + value);
    return variables;
}

inline std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

inline std::string text_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace detail

/// Runs `words` (a program, looked up in PATH, and its arguments) to its end, with no stdin.
inline Outcome run_program(std::vector<std::string> words, const Surroundings& surroundings = {}) {
    const ScratchDirectory scratch;
    const std::string out = surroundings.out_to.empty() ? (scratch.path() / "out").string() : surroundings.out_to;
    const std::string err = (scratch.path() / "err").string();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, surroundings.directory.c_str());
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<std::string> variables = detail::changed_environment(surroundings.environment);
    pid_t pid = 0;
    const int refused = posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, detail::pointers(words).data(),
                                     detail::pointers(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    Outcome outcome;
    if (refused != 0) {
        ADD_FAILURE() << words.front() << " cannot be run";
        return outcome;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    if (surroundings.out_to.empty()) outcome.out = detail::text_of(out);
    outcome.err = detail::text_of(err);
    return outcome;
}

}  // namespace bcastgen::testing
