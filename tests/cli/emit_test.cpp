#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::run_tool;
using testing::ScratchDirectory;

TEST(Emit, AFilesNameReachesNoEmittedText) {
    const ScratchDirectory scratch;
    const std::string file =
        scratch.write("t\n#error injected $(reboot) `.yaml", "name: t\nswitches: {s0: {machines: \"n[0-3]\"}}\n");
    const std::filesystem::path directory = scratch.path() / "emitted";
    EXPECT_EQ(run_tool({file, "-o", directory}).exit_code, 0);
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
        if (!entry.is_regular_file()) continue;
        ++files;
        std::ifstream stream(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        EXPECT_EQ(text.find("injected"), std::string::npos) << entry.path();
    }
    EXPECT_GT(files, 5);
}

TEST(Emit, ALibraryCannotGoToStdout) {
    const testing::Outcome outcome = run_tool({"topologies/fsu-1.yaml", "-o", "-"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "-o: error: a library is a directory of files; it cannot go to stdout: name one\n");
}

/// Not even for a user whose files are everybody's to change.
TEST(Emit, NothingIsWritableByEverybody) {
    const testing::ScratchDirectory scratch;
    const mode_t mask = umask(0);
    const testing::Outcome outcome = run_tool({"topologies/fsu-1.yaml", "-o", scratch.path() / "library"});
    umask(mask);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch.path())) {
        EXPECT_EQ(entry.status().permissions() & std::filesystem::perms::others_write, std::filesystem::perms::none)
            << entry.path();
    }
}

}  // namespace
}  // namespace bcastgen
