// The tool on a full disk, killed, and in places that it cannot use.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;
using testing::Outcome;
using testing::run_program;
using testing::run_tool;
using testing::ScratchDirectory;

constexpr const char* four_machines = "name: t\nswitches: {s0: {machines: \"n[0-3]\"}}\n";

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Where no file grows beyond so many KiB. A program that does not ask about it is killed by SIGXFSZ.
Outcome run_with_little_space(int kibibytes, const std::string& arguments, bool killed) {
    const std::string signal = killed ? "" : "trap '' XFSZ; ";
    return run_program(
        {"bash", "-c", fmt::format("{}ulimit -f {}; exec {} {}", signal, kibibytes, BCASTGEN_TOOL, arguments)});
}

TEST(BrokenOff, EmitsAgainAfterItWasKilled) {
    for (const int kibibytes : {1, 8}) {
        const ScratchDirectory scratch;
        const std::string file = scratch.write("t.yaml", four_machines);
        const std::string directory = scratch.path() / "library";
        EXPECT_EQ(run_with_little_space(kibibytes, file + " -o " + directory, true).exit_code, -1);
        EXPECT_TRUE(fs::exists(directory));
        const Outcome built = run_tool({"build", directory});
        EXPECT_EQ(built.exit_code, 2);
        EXPECT_NE(built.err.find("holds a library whose writing was broken off; emit it again"), std::string::npos);
        EXPECT_EQ(run_tool({file, "-o", directory}).exit_code, 0);
        EXPECT_FALSE(fs::exists(directory + "/.bcastgen-unfinished"));
    }
}

TEST(BrokenOff, AFullDiskLeavesNothingAndTheLibraryThatWasThere) {
    const ScratchDirectory scratch;
    const std::string file = scratch.write("t.yaml", four_machines);
    const std::string directory = scratch.path() / "library";
    const Outcome full = run_with_little_space(4, file + " -o " + directory, false);
    EXPECT_EQ(full.exit_code, 1) << full.err;
    EXPECT_NE(full.err.find("cannot be written: File too large"), std::string::npos) << full.err;
    EXPECT_FALSE(fs::exists(directory));

    ASSERT_EQ(run_tool({file, "-o", directory}).exit_code, 0);
    const std::string library = directory + "/build/mpich/libbcast_t.so";
    fs::create_directories(fs::path(library).parent_path());
    std::ofstream(library) << "a library in use";
    EXPECT_EQ(run_with_little_space(16, "build " + directory + " --mpi mpich", false).exit_code, 1);
    EXPECT_EQ(bytes_of(library), "a library in use");
}

TEST(BrokenOff, NothingIsInstalledWhereItCannotBePreloaded) {
    const ScratchDirectory scratch;
    const std::string file = scratch.write("t.yaml", four_machines);
    for (const char* name : {"/with space", "/with:colon"}) {
        const std::string prefix = scratch.path().string() + name;
        const Outcome outcome = run_tool({"install", file, "--prefix", prefix});
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.err,
                  "--prefix: error: " + prefix +
                      " has a space or a colon, which ends a path in LD_PRELOAD; name another directory\n");
        EXPECT_FALSE(fs::exists(prefix));
    }
}

TEST(BrokenOff, SaysThatTMPDIRIsNoDirectory) {
    const ScratchDirectory scratch;
    const std::string trace =
        scratch.write("trace.0", "bytes=1 machines=1 ranks=1 rule=x algorithm=native segment=0\n");
    const Outcome outcome =
        run_tool({"report", "--trace", scratch.path() / "trace", "-o", scratch.path() / "page.html"},
                 {.environment = {{"TMPDIR", "/no/such"}}});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err,
              "bcastgen: error: TMPDIR is /no/such, which is not a directory; set it to one, or unset it\n");
}

}  // namespace
}  // namespace bcastgen
