// Broadcasts side by side as a user looks at them: plan --grid, and place.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/temporary_directory.hpp"
#include "tests/cli/run_tool.hpp"

namespace bcastgen {
namespace {

using Json = nlohmann::json;
using testing::Outcome;
using testing::run_tool;

constexpr const char* planned_by_name =
    R"(fsu-5: 4 x 8 grid of 32 ranks on 32 machines, loads of linear, from the worst root position
  rows     4 broadcasts to 8 ranks: stage 4 together, 1 alone, 4 times as long; worst from position 0
  columns  8 broadcasts to 4 ranks: stage 1 together, 1 alone; worst from position 0

  trunk    rows →  ←      columns →  ←
  s0 ─ s1  4 (4)   4 (4)  -          -
  s0 ─ s2  4 (4)   4 (4)  -          -
  s0 ─ s3  4 (4)   4 (4)  -          -
  load (of how many broadcasts); the trunk's load is their sum

  switch of each rank, row by row
  s0  s1  s2  s3  s0  s1  s2  s3
  s0  s1  s2  s3  s0  s1  s2  s3
  s0  s1  s2  s3  s0  s1  s2  s3
  s0  s1  s2  s3  s0  s1  s2  s3
)";

constexpr const char* placed = R"(fsu-5: 4 x 8 grid of 32 ranks placed on 32 machines

  mapping  rows  columns  sum  linear: rows  columns  sum
  placed   4     1        5    4             1        5
  block    1     8        9    1             8        9
  cyclic   4     1        5    4             1        5
  by-name  4     1        5    4             1        5
  bound                   5
  rows, columns: messages that cross a trunk at the same time over its width, at least 1; then the stages of
  the loads proved, for the worst root position; sum: of both; all in T(m). The bound is the least that any sum is.

  switch of each rank, row by row
  s0  s0  s1  s1  s2  s2  s3  s3
  s0  s0  s1  s1  s2  s2  s3  s3
  s0  s0  s1  s1  s2  s2  s3  s3
  s0  s0  s1  s1  s2  s2  s3  s3
)";

std::string text_in(const std::filesystem::path& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

TEST(PlanGrid, ShowsWhatRowsAndColumnsShare) {
    const Outcome outcome = run_tool({"plan", "topologies/fsu-5.yaml", "--grid", "4x8", "--tree", "linear"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, planned_by_name);
}

TEST(PlanGrid, SaysTheSameAsJsonAndDrawsIt) {
    const std::vector<std::string> words{"plan",   "topologies/fsu-5.yaml", "--grid", "4x8",     "--tree",
                                         "linear", "--root-position",       "3",      "--format"};
    std::vector<std::string> json_words = words;
    json_words.emplace_back("json");
    const Json found = Json::parse(run_tool(json_words).out);
    EXPECT_EQ(found["format"], "bcastgen-grid/1");
    EXPECT_EQ(found["root_position"], 3);
    EXPECT_EQ(found["rows"]["broadcasts"], 4);
    EXPECT_EQ(found["mapping"].size(), 32U);
    EXPECT_EQ(found["links"].size(), 2U * 35);
    double most = 0;
    for (const Json& link : found["links"]) most = std::max(most, link["rows_load"].get<double>());
    EXPECT_EQ(most, found["rows"]["stage"].get<double>());
    std::vector<std::string> dot_words = words;
    dot_words.emplace_back("dot");
    const std::string dot = run_tool(dot_words).out;
    EXPECT_NE(dot.find("\"machine n9\" [label=\"n9\n(1, 1)\"]"), std::string::npos) << dot;
    EXPECT_NE(dot.find("label=\"rows 4 / 4\\ncolumns 0 / 0\""), std::string::npos) << dot;
    std::vector<std::string> svg_words = words;
    svg_words.emplace_back("svg");
    EXPECT_NE(run_tool(svg_words).out.find("</svg>"), std::string::npos);
}

TEST(Place, ComparesAndWritesEachFormat) {
    const TemporaryDirectory work(place_for_temporary_files());
    const std::string file = (work.path() / "hosts").string();
    const Outcome outcome = run_tool({"place", "topologies/fsu-5.yaml", "--grid", "4x8", "-o", file});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, placed);
    EXPECT_EQ(text_in(file).substr(0, 25), "n0:1\nn4:1\nn1:1\nn5:1\nn2:1\n");
    const Outcome ranks = run_tool({"place", "topologies/fsu-5.yaml", "--grid", "4x8", "--which", "block",
                                    "--mapping-format", "rankfile", "-o", "-"});
    EXPECT_EQ(ranks.out.substr(0, 36), "rank 0=n0 slot=0\nrank 1=n4 slot=0\nra");
    const Outcome planned = run_tool(
        {"plan", "topologies/fsu-5.yaml", "--grid", "4x8", "--tree", "linear", "--mapping", file, "--format", "json"});
    EXPECT_EQ(Json::parse(planned.out)["rows"]["stage"], 4) << planned.err;
    const Outcome json =
        run_tool({"place", "topologies/fsu-5.yaml", "--grid", "4x8", "--messages", "2K:1K", "--format", "json"});
    const Json found = Json::parse(json.out);
    EXPECT_EQ(found["format"], "bcastgen-placement/1");
    EXPECT_EQ(found["mappings"][1]["name"], "block");
    EXPECT_NEAR(found["weights"][0].get<double>(), 4.0 / 3, 1e-9);
    EXPECT_LE(found["bound"].get<double>(), found["mappings"][0]["sum"].get<double>());
}

struct RefusedCommand {
    std::vector<std::string> words;
    const char* error;
};

TEST(PlanGrid, RefusesWhatMakesNoGrid) {
    const RefusedCommand rows[] = {
        {{"plan", "topologies/fsu-1.yaml", "--grid", "4y4"},
         "--grid:1:2: error: expected x between the number of rows and the number of columns, as in 4x8\n"
         "    4y4\n"
         "     ^\n"},
        {{"plan", "topologies/fsu-1.yaml", "--grid", "4x8"},
         "--grid: error: 4 x 8 are 32 ranks, and 16 machines with 1 rank each have room for 16\n"},
        {{"place", "topologies/fsu-1.yaml", "--grid", "4x8", "--machines", "n[0-3]", "--ranks-per-machine", "2"},
         "--grid: error: 4 x 8 are 32 ranks, and 4 machines with 2 ranks each have room for 8\n"},
        {{"plan", "topologies/fsu-1.yaml", "--grid", "2x2", "--root", "n1", "--machines", "n[0-3]", "--mapping",
          "hosts"},
         "--root: error: with --grid every row and column has a root; use --root-position\n"
         "--machines: error: the mapping says which machines take part\n"},
        {{"place", "topologies/fsu-1.yaml", "--grid", "2x2", "--messages", "1K:x"},
         "--messages:1:4: error: \"x\" is not a size; write it like 8192, 8K, 64KiB or 1M (1K is 1024 bytes)\n"
         "    1K:x\n"
         "       ^\n"},
    };
    for (const RefusedCommand& row : rows) {
        const Outcome outcome = run_tool(row.words);
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.err, row.error);
    }
}

}  // namespace
}  // namespace bcastgen
