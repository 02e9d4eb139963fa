#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bcastgen
