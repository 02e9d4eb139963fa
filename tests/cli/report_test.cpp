#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
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

std::string contents_of(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Twelve broadcasts of 256K down the chain n0, n1, n2, n3; from the seventh on n2 gets its segments half as fast.
std::string traces_of_a_chain(const ScratchDirectory& scratch) {
    for (int rank = 0; rank < 4; ++rank) {
        std::string text;
        for (int broadcast = 0; broadcast < 12; ++broadcast) {
            text +=
                "bytes=262144 machines=4 ranks=4 rule=machines:2-,up_to:max algorithm=linear segment=8192 entered=" +
                std::to_string(1795500626 + broadcast) + ".5 took_us=30000.0 imbalance=- root=0";
            if (rank > 0) {
                const int rest_us = rank > 1 && broadcast > 5 ? 42000 : 21000;
                text += " machine=n" + std::to_string(rank) + " from=n" + std::to_string(rank - 1) +
                        " first_us=" + std::to_string(900 * rank) +
                        ".0 last_us=" + std::to_string(900 * rank + rest_us) + ".0 rest=253952";
            }
            text += '\n';
        }
        static_cast<void>(scratch.write("trace." + std::to_string(rank), text));
    }
    return (scratch.path() / "trace").string();
}

TEST(Report, NamesTheLinkThatMakesBroadcastsLate) {
    const ScratchDirectory scratch;
    const std::string trace = traces_of_a_chain(scratch);
    const std::string topology = scratch.write("four.yaml",
                                               "name: four\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\n"
                                               "switches:\n  s0: {machines: \"n[0-3]\"}\n");
    const std::string page = (scratch.path() / "page.html").string();
    const Outcome outcome = run_tool({"report", "--trace", trace, "--topology", topology, "-o", page});
    EXPECT_EQ(outcome.exit_code, 0);
    const std::string found =
        "port of n2 on s0: about 50Mbit/s, not 100Mbit/s, as 6 of 12 broadcasts show (number 7 to 12); it costs 21.0 "
        "ms a "
        "broadcast, 126 ms in all";
    EXPECT_EQ(outcome.err, found + "\n");
    EXPECT_NE(contents_of(page).find("<h3>Slow link</h3>\n<p>" + found + "</p>"), std::string::npos);
    // A machine's lines are missing: nothing is known of what lies behind it.
    std::filesystem::remove(scratch.path() / "trace.2");
    EXPECT_EQ(run_tool({"report", "--trace", trace, "--topology", topology, "-o", page}).err, "");
}

}  // namespace
}  // namespace bcastgen
