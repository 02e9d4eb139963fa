// Writing a library when the program is killed at any moment, and when the disk is full.
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>
#include <set>

#include "base/outside_failure.hpp"
#include "codegen/emit/library_directory.hpp"
#include "tests/models/sites.hpp"
#include "tests/run_program.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;
using testing::ScratchDirectory;
using Content = std::map<std::string, std::string>;

const std::vector<EmittedFile> old_files = {
    {"README.md", "read\n"}, {"bcast/trees/order.hpp", "order\n"}, {"site_plan.hpp", "plan\n"}};
const std::vector<EmittedFile> new_files = {
    {"README.md", "read\n"}, {"bcast/trees/order.hpp", "new order\n"}, {"site_plan.hpp", "new plan\n"}};

Content content_of(const std::vector<EmittedFile>& files) {
    Content content;
    for (const EmittedFile& file : files) content[file.path] = file.text;
    return content;
}

Content everything_below(const fs::path& directory) {
    Content found;
    if (!fs::exists(directory)) return found;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        found[fs::relative(entry.path(), directory).string()] = testing::file_text(entry.path());
    }
    return found;
}

enum class End { killed, done, untraceable };

/// Writes the files in a process of its own, which is killed where it would do its `last`th system call.
End write_until(const fs::path& directory, const std::vector<EmittedFile>& files, int last) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(77);
        raise(SIGSTOP);
        try {
            write_library(directory, files);
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) return End::untraceable;
    for (int stops = 0; WIFSTOPPED(status); ++stops) {  // two for each system call: before and after
        if (stops == 2 * last + 1) kill(child, SIGKILL);
        ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        waitpid(child, &status, 0);
    }
    if (WIFSIGNALED(status)) return End::killed;
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return End::done;
}

/// Kills at every system call in turn; what was there is `before`.
void kill_everywhere(const std::vector<EmittedFile>& before) {
    std::set<Content> states;
    for (int last = 0;; ++last) {
        const ScratchDirectory scratch;
        const fs::path directory = scratch.path() / "a/library";
        if (!before.empty()) write_library(directory, before);
        const End end = write_until(directory, new_files, last);
        if (end == End::untraceable) GTEST_SKIP() << "skipped: this host lets no process trace its child";
        states.insert(everything_below(directory));
        if (is_library(directory)) {
            Content library = everything_below(directory);
            std::erase_if(library, [](const auto& file) { return file.first.ends_with(".new"); });
            EXPECT_TRUE(library == content_of(before) || library == content_of(new_files)) << last;
        }
        EXPECT_NO_THROW(write_library(directory, new_files)) << last;
        EXPECT_EQ(everything_below(directory), content_of(new_files)) << last;
        EXPECT_TRUE(is_library(directory));
        if (end == End::done) break;
    }
    EXPECT_GT(states.size(), 6U);  // moments that differ in what they leave
}

TEST(BrokenOff, ANewLibraryCanBeWrittenAgain) {
    kill_everywhere({});
}

TEST(BrokenOff, AnOldLibraryCanBeWrittenAgain) {
    kill_everywhere(old_files);
}

TEST(BrokenOff, OthersFilesAreStillNotTaken) {
    const ScratchDirectory scratch;
    scratch.write("README.md", "mine");
    EXPECT_ANY_THROW(write_library(scratch.path(), new_files));
    EXPECT_EQ(everything_below(scratch.path()), (Content{{"README.md", "mine"}}));
}

/// Lets no file grow beyond so many bytes, as a full disk does.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;
    ~FullDisk() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

void write_on_full_disk(const fs::path& directory, rlim_t bytes) {
    const FullDisk full(bytes);
    EXPECT_THROW(write_library(directory, new_files), OutsideFailure) << bytes;
}

TEST(FullDisk, ChangesNothing) {
    for (const rlim_t bytes : {0UL, 3UL, 6UL, 9UL}) {  // of "new order\n", the longest
        const ScratchDirectory scratch;
        write_on_full_disk(scratch.path() / "a/b", bytes);
        EXPECT_FALSE(fs::exists(scratch.path() / "a"));
        write_on_full_disk(scratch.path(), bytes);
        EXPECT_TRUE(fs::is_empty(scratch.path()));

        write_library(scratch.path() / "old", old_files);
        write_on_full_disk(scratch.path() / "old", bytes);
        EXPECT_EQ(everything_below(scratch.path() / "old"), content_of(old_files));
        EXPECT_TRUE(is_library(scratch.path() / "old"));
    }
}

}  // namespace
}  // namespace bcastgen
