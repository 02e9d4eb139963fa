#include "base/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

std::size_t entries(const fs::path& directory) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

TEST(TemporaryDirectory, GoesWithItsFiles) {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const std::size_t before = entries(parent.path());
    {
        const TemporaryDirectory directory(parent.path());
        std::ofstream(directory.path() / "file") << "text";
        EXPECT_EQ(entries(parent.path()), before + 1);
    }
    EXPECT_EQ(entries(parent.path()), before);
}

TEST(TemporaryDirectory, TheNextOneRemovesWhatAKilledProgramLeft) {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const TemporaryDirectory living(parent.path());
    fs::create_directory(parent.path() / "bcastgen-abcdef");  // somebody's own
    const pid_t killed = fork();
    if (killed == 0) {
        const TemporaryDirectory abandoned(parent.path());
        std::ofstream(abandoned.path() / "file") << "text";
        raise(SIGKILL);
    }
    waitpid(killed, nullptr, 0);
    const std::size_t before = entries(parent.path());
    const TemporaryDirectory next(parent.path());
    EXPECT_EQ(entries(parent.path()), before);  // one has come, one has gone
    EXPECT_TRUE(fs::exists(living.path()));
    EXPECT_TRUE(fs::exists(parent.path() / "bcastgen-abcdef"));
}

/// What others have put there to have it looked into, or removed, is left alone.
TEST(TemporaryDirectory, NothingOfOthersIsTouched) {
    const TemporaryDirectory parent(fs::temp_directory_path());
    const fs::path precious = parent.path() / "precious";
    fs::create_directory(precious);
    std::ofstream(precious / ".in-use") << "";
    fs::create_directory_symlink(precious, parent.path() / "bcastgen-linked");
    fs::create_directory(parent.path() / "bcastgen-inside");
    fs::create_symlink(precious / ".in-use", parent.path() / "bcastgen-inside/.in-use");
    fs::create_directory(parent.path() / "bcastgen-theirs");
    std::ofstream(parent.path() / "bcastgen-theirs/.in-use") << "";
    const bool root = geteuid() == 0;  // only root can make what is another user's
    if (root) {
        ASSERT_EQ(chown((parent.path() / "bcastgen-theirs").c_str(), 12345, 12345), 0);
    }
    const TemporaryDirectory next(parent.path());
    EXPECT_TRUE(fs::exists(precious / ".in-use"));
    EXPECT_TRUE(fs::is_symlink(parent.path() / "bcastgen-linked"));
    EXPECT_TRUE(fs::exists(parent.path() / "bcastgen-inside"));
    EXPECT_EQ(fs::exists(parent.path() / "bcastgen-theirs"), root);
}

}  // namespace
}  // namespace bcastgen
