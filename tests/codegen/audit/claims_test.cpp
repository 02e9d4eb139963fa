// What comments may state of trees: what bcastgen states, however it is written, and nothing else.
#include "codegen/audit/claims.hpp"

#include <gtest/gtest.h>

#include "codegen/audit/code_text.hpp"
#include "tests/codegen/audit/sample.hpp"

namespace bcastgen {
namespace {

const std::string linear_names = "// linear, in segments of 32K, 64K:\n// The linear tree of 6 machines, root a0:\n";
const std::string linear_figures = "// height 5, fan-out 1, stage 1; the message leaves the root once.\n";

/// The first thing that is wrong with the comments of the sample once `from` has become `to`.
std::string said_of(const std::string& from, const std::string& to) {
    const testing::Sample sample = testing::small_sample();
    const EmittedFile file{"mpi_bcast.cpp", testing::Sample(sample).text("mpi_bcast.cpp")};
    const EmittedFile changed{file.path, testing::replaced(file.text, from, to)};
    std::string said;
    compare_claims(tokens_of(file).comments, tokens_of(changed).comments,
                   [&](const CodePlace&, const std::string& finding) { said += finding + "\n"; });
    return said.substr(0, said.find('\n'));
}

TEST(Claims, MayBeWrittenOtherwise) {
    const std::string free_forms[] = {
        linear_names + linear_figures,
        "",
        linear_names,
        "// linear, in segments of 32K, 64K:\n" + linear_figures,
        linear_names + "// (as of today)\n" + linear_figures + "// checked by N.N., 2 of 2\n",
        linear_names + "/* height 5, fan-out 1, stage 1;\n * the message leaves the root once. */\n",
        linear_names + "// height\n// 5, fan-out 1,\n//     stage 1; the message leaves\n// the root once. Really?\n",
        "// The height is what counts. Don't stage this.\n" + linear_names + linear_figures + "// At what height?\n",
    };
    for (const std::string& form : free_forms) EXPECT_EQ(said_of(linear_names + linear_figures, form), "") << form;
}

TEST(Claims, MustBeTrue) {
    const std::string truth =
        "a comment claims what is not so: expected \"height 5, fan-out 1, stage 1; the message leaves the root on…\", "
        "found ";
    const std::pair<std::string, std::string> untrue[] = {
        {"// height 3, fan-out 1, stage 1;\n", "\"height 3, fan-out 1, stage 1;\""},
        {"/* height 3, fan-out 1, stage 1; */\n", "\"height 3, fan-out 1, stage 1;\""},
        {"/** height 3 */\n", "\"height 3\""},
        {"/*\n * height\n * 3\n */\n", "\"height 3\""},
        {"// height\n// 3\n", "\"height 3\""},
        {"// Heights: 3 and 4\n", "\"Heights: 3 and 4\""},
        {"// HEIGHT=3, so the\n", "\"HEIGHT=3, so the\""},
        {"// of stage 2 or (2)\n", "\"stage 2 or (2)\""},
        {"// fan-out: 2\n", "\"fan-out: 2\""},
        {linear_figures + "// No: height 3\n", "\"height 3\""},
        {"// height 5, fan-out 1, stage 2; the message leaves the root once.\n",
         "\"height 5, fan-out 1, stage 2; the message\""},
        // the binomial tree's
        {"// height 2, fan-out 3, stage 3; the message leaves the root 3 times.\n",
         "\"height 2, fan-out 3, stage 3; the message\""},
    };
    for (const auto& [form, found] : untrue) EXPECT_EQ(said_of(linear_figures, form), truth + found) << form;
}

TEST(Claims, MustNotStandBelowAnotherAlgorithm) {
    EXPECT_NE(said_of(linear_names, ""), "");  // below the binomial tree's picture
}

TEST(Claims, AreCheckedBehindCodeAndInOtherFiles) {
    EXPECT_NE(said_of("return facts;", "return facts;  // of height 3"), "");
    testing::Sample sample = testing::small_sample();
    sample.edit("site_plan.hpp", "#pragma once", "#pragma once  // stage = 3");
    EXPECT_EQ(sample.audited(),
              "lib/site_plan.hpp:7:18: error: a comment claims what is not so: expected one that was proved, found "
              "\"stage = 3\"\n    #pragma once  // stage = 3\n                     ^\n");
}

}  // namespace
}  // namespace bcastgen
