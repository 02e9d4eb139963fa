#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

TEST(Report, RefusesWhatIsNoStoreWithItsName) {
    const ScratchDirectory scratch;
    const std::string text = scratch.write("tuning.db", "hello\n");
    const std::string missing = text + ".not";
    struct Row {
        std::vector<std::string> words;
        std::string err;
    };
    const std::vector<Row> rows{
        {{"report"}, "bcastgen report: error: wants a store (bcastgen tune --db writes one), --trace, or both\n"},
        {{"report", missing}, missing + ": error: is not a file; bcastgen tune --db writes one\n"},
        {{"report", text}, text + ": error: is not a store of bcastgen's; choose another file\n"},
        {{"report", "--run", "2", "--trace", text}, "--run: error: goes with a store\n"},
        {{"report", "--trace", missing},
         missing + ": error: is not a trace: there is no such file, and none with a rank's number after it\n"},
        {{"report", "--trace", text}, text + ":1:1: error: is not a line of a BCASTGEN_TRACE file"},
    };
    for (const Row& row : rows) {
        const Outcome outcome = run_tool(row.words, {scratch.path().string()});
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.substr(0, row.err.size()), row.err);
        EXPECT_FALSE(std::filesystem::exists(scratch.path() / "report.html"));
    }
}

TEST(Report, WritesThePageOfATraceAndSaysWhere) {
    const ScratchDirectory scratch;
    const std::string trace = scratch.write(
        "trace.0", "bytes=4096 machines=2 ranks=2 rule=machines:2-,up_to:max algorithm=linear segment=0\n");
    const Outcome outcome = run_tool({"report", "--trace", trace, "-o", "page.html"}, {scratch.path().string()});
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "page.html\n");
    EXPECT_TRUE(std::filesystem::exists(scratch.path() / "page.html"));
    const std::string native =
        scratch.write("native.0", "bytes=4096 machines=2 ranks=2 rule=x algorithm=native segment=0 took_us=20.0\n");
    const std::string timed =
        scratch.write("timed.0", "bytes=4096 machines=2 ranks=2 rule=x algorithm=linear segment=0 took_us=5.0\n");
    const Outcome beside = run_tool({"report", "--trace", timed, "--without", native, "-o", "-"}, {});
    EXPECT_NE(beside.out.find("Without the library a rank spends 20.0 us: 4.00× as much"), std::string::npos);
    EXPECT_EQ(run_tool({"report", "--without", native}, {}).exit_code, 2);
}

}  // namespace
}  // namespace bcastgen
