#include "base/text_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>

#include "base/outside_failure.hpp"
#include "base/temporary_directory.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

class TextFile : public ::testing::Test {
  protected:
    [[nodiscard]] fs::path file(const char* name = "table") const { return directory_.path() / name; }
    /// The table, and what might be left beside it.
    [[nodiscard]] int files() const {
        int count = 0;
        for (const fs::directory_entry& entry : fs::directory_iterator(directory_.path())) {
            count += entry.path().filename().string().find("table") != std::string::npos ? 1 : 0;
        }
        return count;
    }

  private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

TEST_F(TextFile, WhoeverReadsItSeesTheOldTextToItsEnd) {
    const std::string old(100000, 'o');
    write_file(file(), old);
    std::ifstream reader(file(), std::ios::binary);
    std::string seen(10, ' ');
    reader.read(seen.data(), 10);
    write_file(file(), "new");
    seen += std::string(std::istreambuf_iterator<char>(reader), {});
    EXPECT_EQ(seen, old);
    EXPECT_EQ(text_of(file()), "new");
    EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, StaysWholeWhereTheDiskIsFull) {
    write_file(file(), "old");
    rlimit unlimited{};
    getrlimit(RLIMIT_FSIZE, &unlimited);
    rlimit small = unlimited;
    small.rlim_cur = 4096;
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    EXPECT_THROW(write_file(file(), std::string(8192, 'n')), OutsideFailure);
    setrlimit(RLIMIT_FSIZE, &unlimited);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(text_of(file()), "old");
    EXPECT_EQ(files(), 1);
}

TEST_F(TextFile, KeepsPermissions) {
    write_file(file(), "old");
    chmod(file().c_str(), 0640);
    write_file(file(), "new");
    struct stat status {};
    ASSERT_EQ(stat(file().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
    const mode_t before = umask(027);
    write_file(file("fresh"), "new");
    umask(before);
    ASSERT_EQ(stat(file("fresh").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640U);
}

TEST_F(TextFile, FollowsSymbolicLinks) {
    fs::create_directory(file("folder"));
    write_file(file("folder") / "text", "old");
    fs::create_symlink("folder/text", file("near"));
    fs::create_symlink(file("near"), file("far"));
    write_file(file("far"), "new");
    EXPECT_TRUE(fs::is_symlink(file("near")));
    EXPECT_TRUE(fs::is_symlink(file("far")));
    EXPECT_EQ(text_of(file("folder") / "text"), "new");
    fs::create_symlink("folder/none", file("dangling"));
    write_file(file("dangling"), "made");
    EXPECT_EQ(text_of(file("folder") / "none"), "made");
}

TEST_F(TextFile, WritesToPipesAndDevices) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    write_file("/dev/fd/" + std::to_string(ends[1]), "hello");
    std::string seen(5, ' ');
    EXPECT_EQ(read(ends[0], seen.data(), seen.size()), 5);
    EXPECT_EQ(seen, "hello");
    close(ends[0]);
    close(ends[1]);
    EXPECT_THROW(write_file("/dev/full", "hello"), OutsideFailure);
}

TEST_F(TextFile, SaysWhyNot) {
    const fs::path nowhere = file("none") / "text";
    try {
        write_file(nowhere, "text");
        ADD_FAILURE();
    } catch (const OutsideFailure& failure) {
        EXPECT_EQ(failure.what(), nowhere.string() + ": cannot be written: No such file or directory");
    }
}

/// A link that somebody else has put into a directory like /tmp, with a name that one might write to.
TEST_F(TextFile, LinksOfOthersInSharedDirectoriesAreNotFollowed) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can make what is another user's";
    const fs::path shared = file("shared");
    fs::create_directory(shared);
    ASSERT_EQ(chmod(shared.c_str(), 01777), 0);
    std::ofstream(file("precious")) << "precious";
    fs::create_symlink(file("precious"), shared / "table");
    ASSERT_EQ(lchown((shared / "table").c_str(), 12345, 12345), 0);
    EXPECT_THROW(write_file(shared / "table", "new"), OutsideFailure);
    EXPECT_EQ(text_of(file("precious")), "precious");
    ASSERT_EQ(lchown((shared / "table").c_str(), geteuid(), getegid()), 0);
    write_file(shared / "table", "new");  // one's own link is meant
    EXPECT_EQ(text_of(file("precious")), "new");
}

}  // namespace
}  // namespace bcastgen
