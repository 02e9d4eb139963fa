#include "cli/fitted.hpp"

#include <gtest/gtest.h>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::Surroundings;

TEST(Fitted, WrapsParagraphsAndSecondColumnsAndLeavesExamples) {
    EXPECT_EQ(fitted("A line that is too long by itself,\nand one more.\nUsage: x [OPTIONS] a\n\n"
                     "Options:\n"
                     "  --rate R   all links, scaled alike\n"
                     "             and so on for rather long\n"
                     "Examples:\n"
                     "  x run a.yaml --on simulated   the first of all\n"
                     "  x run a.yaml --on emulated --and --more\n",
                     30),
              "A line that is too long by\nitself, and one more.\nUsage: x [OPTIONS] a\n\n"
              "Options:\n"
              "  --rate R   all links, scaled\n             alike\n"
              "             and so on for\n             rather long\n"
              "Examples:\n"
              "  x run a.yaml --on simulated\n      the first of all\n"
              "  x run a.yaml --on emulated --and --more\n");
}

TEST(Fitted, KeepsWordsThatAreLongerThanALine) {
    EXPECT_EQ(fitted("go to http://a.place/that/is/far and on", 20), "go to\nhttp://a.place/that/is/far\nand on\n");
    EXPECT_EQ(fitted("", 20), "");
    EXPECT_EQ(fitted("\n\n", 20), "\n\n");
    EXPECT_EQ(fitted("größer → kleiner", 16), "größer → kleiner\n");  // columns, not bytes
}

TEST(Fitted, HelpFitsATerminal) {
    for (const char* columns : {"60", "80", "100"}) {
        Surroundings terminal;
        terminal.environment = {{"COLUMNS", columns}};
        const Outcome help = run_tool({"tune", "--help"}, terminal);
        std::istringstream lines(help.out);
        for (std::string line; std::getline(lines, line);) {
            const bool is_copied = line.starts_with("  bcastgen ") || line.starts_with("  --");
            EXPECT_TRUE(is_copied || line.size() <= std::stoul(columns) + 8) << line;  // bytes: some are not ASCII
        }
    }
}

TEST(InAscii, HasTheNearest) {
    EXPECT_EQ(in_ascii("├─ n0 → n1 …\n└─ 2 × 3 – “x”"), "|- n0 > n1 ...\n`- 2 x 3 - \"x\"");
    EXPECT_EQ(in_ascii("a\xC3\xA4z\xFFq"), "a?z?q");
}

TEST(InAscii, IsWhatALocaleWithoutUtf8Gets) {
    const auto plan_in = [](const char* locale) {
        Surroundings surroundings;
        surroundings.environment = {{"LC_ALL", locale}};
        return run_tool({"plan", "topologies/fsu-1.yaml"}, surroundings).out;
    };
    const std::string ascii = plan_in("C");
    EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    EXPECT_EQ(ascii, in_ascii(plan_in("C.UTF-8")));
    EXPECT_NE(ascii, plan_in("C.UTF-8"));
}

}  // namespace
}  // namespace bcastgen
