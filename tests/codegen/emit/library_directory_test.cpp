#include "codegen/emit/library_directory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <set>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"
#include "tests/models/sites.hpp"
#include "tests/run_program.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;
using testing::file_text;
using testing::ScratchDirectory;

const std::vector<EmittedFile> files = {
    {"site_plan.hpp", "plan\n"}, {"bcast/trees/order.hpp", "order\n"}, {"README.md", "read\n"}};

/// Every file below a directory with its text.
std::map<std::string, std::string> everything_in(const fs::path& directory) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (entry.is_regular_file()) found[fs::relative(entry.path(), directory).string()] = file_text(entry.path());
    }
    return found;
}

const std::map<std::string, std::string> all_files = {
    {"site_plan.hpp", "plan\n"}, {"bcast/trees/order.hpp", "order\n"}, {"README.md", "read\n"}};

std::string refusal(const fs::path& directory, const std::vector<EmittedFile>& what = files) {
    try {
        write_library(directory, what);
    } catch (const InputErrors& error) {
        return std::string("input: ") + error.what();
    } catch (const OutsideFailure& error) {
        return std::string("outside: ") + error.what();
    }
    return "";
}

TEST(WriteLibrary, MakesTheDirectoryAndWritesEverything) {
    const ScratchDirectory scratch;
    EXPECT_EQ(write_library(scratch.path() / "a/b", files), 3);
    EXPECT_EQ(everything_in(scratch.path() / "a/b"), all_files);
}

TEST(WriteLibrary, TakesAnEmptyDirectory) {
    const ScratchDirectory scratch;
    EXPECT_EQ(write_library(scratch.path(), files), 3);
}

TEST(WriteLibrary, LeavesUnchangedFilesAlone) {
    const ScratchDirectory scratch;
    write_library(scratch.path(), files);
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(48);
    for (const EmittedFile& file : files) fs::last_write_time(scratch.path() / file.path, long_ago);
    EXPECT_EQ(write_library(scratch.path(), files), 0);
    for (const EmittedFile& file : files) EXPECT_EQ(fs::last_write_time(scratch.path() / file.path), long_ago);

    std::vector<EmittedFile> changed = files;
    changed[1].text = "another order\n";
    EXPECT_EQ(write_library(scratch.path(), changed), 1);
    EXPECT_EQ(fs::last_write_time(scratch.path() / "site_plan.hpp"), long_ago);
    EXPECT_EQ(file_text(scratch.path() / "bcast/trees/order.hpp"), "another order\n");
    EXPECT_NE(fs::last_write_time(scratch.path() / "bcast/trees/order.hpp"), long_ago);
}

TEST(WriteLibrary, KeepsWhatElseLiesInALibrarysDirectory) {
    const ScratchDirectory scratch;
    write_library(scratch.path(), files);
    fs::create_directories(scratch.path() / "build/mpich");
    scratch.write("build/mpich/libbcast_x.so", "so");
    EXPECT_EQ(write_library(scratch.path(), files), 0);
    EXPECT_EQ(file_text(scratch.path() / "build/mpich/libbcast_x.so"), "so");
}

TEST(WriteLibrary, RefusesADirectoryWithOtherContentAndLeavesItUntouched) {
    const ScratchDirectory scratch;
    scratch.write("thesis.tex", "years of work");
    EXPECT_EQ(refusal(scratch.path()),
              "input: " + scratch.path().string() +
                  ": error: holds something else than an emitted library; nothing was written. "
                  "Name another directory\n");
    EXPECT_EQ(everything_in(scratch.path()), (std::map<std::string, std::string>{{"thesis.tex", "years of work"}}));
}

TEST(WriteLibrary, RefusesAFileForADirectory) {
    const ScratchDirectory scratch;
    const std::string file = scratch.write("file", "text");
    EXPECT_EQ(refusal(file), "input: " + file + ": error: is not a directory; the library needs one\n");
    EXPECT_EQ(file_text(file), "text");
}

TEST(WriteLibrary, SaysWhatTheDiskRefuses) {
    if (geteuid() == 0) {
        // Nothing is forbidden to root but what is not a file system of that kind.
        EXPECT_EQ(refusal("/proc/bcastgen"), "outside: /proc/bcastgen: cannot be written: No such file or directory");
        return;
    }
    const ScratchDirectory scratch;
    fs::permissions(scratch.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_EQ(refusal(scratch.path() / "a"),
              "outside: " + (scratch.path() / "a").string() + ": cannot be written: Permission denied");
    fs::permissions(scratch.path(), fs::perms::owner_all);
}

// The last file cannot be written, for a directory lies in its place.
TEST(WriteLibrary, ChangesNothingWhenOneFileCannotBeWritten) {
    const ScratchDirectory scratch;
    write_library(scratch.path(), files);
    fs::create_directories(scratch.path() / "bcast/trees/tree.hpp.new/full");
    std::vector<EmittedFile> changed = {
        {"site_plan.hpp", "new plan\n"}, {"bcast/trees/order.hpp", "new order\n"}, {"bcast/trees/tree.hpp", "tree\n"}};
    EXPECT_EQ(refusal(scratch.path(), changed),
              "outside: " + (scratch.path() / "bcast/trees/tree.hpp").string() + ": cannot be written: Is a directory");
    EXPECT_EQ(everything_in(scratch.path()), all_files);
}

}  // namespace
}  // namespace bcastgen
