// Runs the built tool as a user does.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
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
    ~ScratchDirectory() { std::filesystem::remove_all(path_); }
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

/// Runs `bcastgen ARGUMENTS…` in the project's directory. `out_to` takes stdout instead of Outcome::out.
inline Outcome run_tool(const std::vector<std::string>& arguments, const std::string& out_to = "") {
    const ScratchDirectory scratch;
    const std::string out = out_to.empty() ? scratch.path() / "out" : std::filesystem::path(out_to);
    const std::string err = scratch.path() / "err";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, BCASTGEN_SOURCE_DIR);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT, 0600);
    std::vector<std::string> words{BCASTGEN_TOOL};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = 0;
    const int refused = posix_spawn(&pid, BCASTGEN_TOOL, &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    Outcome outcome;
    if (refused != 0) {
        ADD_FAILURE() << BCASTGEN_TOOL << " cannot be run";
        return outcome;
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
    const auto contents = [](const std::string& path) {
        std::ifstream stream(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(stream), {});
    };
    if (out_to.empty()) outcome.out = contents(out);
    outcome.err = contents(err);
    return outcome;
}

}  // namespace bcastgen::testing
