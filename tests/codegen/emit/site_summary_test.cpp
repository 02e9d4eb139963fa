#include "codegen/emit/site_summary.hpp"

#include <gtest/gtest.h>

#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

using bcast::Algorithm;
using testing::network_of;
using testing::sample_network;

std::string summary(const Network& network, const DecisionTable& table) {
    const SitePlan site = make_site_plan(network);
    const std::string text = site_summary(network, site, prove_site(network, site), table);
    const std::size_t hash = text.find("plan ") + 5;
    return text.substr(0, hash) + "HASH" + text.substr(hash + 16);
}

TEST(SiteSummary, TellsTreesAndTable) {
    DecisionTable table = testing::table_of_everything();
    table.rules[2].messages.erase(table.rules[2].messages.begin(), table.rules[2].messages.end() - 1);
    EXPECT_EQ(
        summary(sample_network("fsu-3"), table),
        "fsu-3: 32 machines on 4 switches, plan HASH\n"
        "  trees          contention-free from every machine\n"
        "                 linear  height 31, stage 1\n"
        "                 binary  height 5 to 6, stage 2\n"
        "                 kary3   height 4, stage 3\n"
        "  decision table made up for a test\n"
        "                 2-8 machines, 1 rank each, balanced                      flat up to 1, binomial up to 1000, "
        "native up to 4K, binary up to 64K (segment 1000), linear up to 3G (segment 1), kary3 above (segment 8K)\n"
        "                 9 machines, 2-4 ranks each, imbalanced                   linear up to 8K, kary3 above "
        "(segment 8K)\n"
        "                 2 and more machines, any number of ranks each, balanced  kary3 (segment 8K)\n");
}

TEST(SiteSummary, OfOneMachine) {
    const Network network = network_of("name: one\nswitches: {s0: {machines: n0}}\n");
    EXPECT_EQ(summary(network, testing::predicted_table(network)),
              "one: 1 machine on 1 switch, plan HASH\n"
              "  trees          none for one machine\n"
              "  decision table predicted from the plan, the links and what software costs; not measured\n"
              "                 any number of machines  native\n");
}

TEST(SiteSummary, SaysOfWhichTrunksTheProofIs) {
    const std::string text = summary(sample_network("campus"), testing::all_native_table());
    EXPECT_NE(text.find("proved contention-free from login1, on the 20 of 23 trunks that the spanning tree uses\n"),
              std::string::npos)
        << text;
    EXPECT_NE(summary(sample_network("fat-tree"), testing::all_native_table())
                  .find("contention-free from every machine, by any shortest up/down routes\n"),
              std::string::npos);
}

TEST(SiteSummary, OfASiteThatIsNotBaked) {
    const Network network = testing::row_of_600();
    EXPECT_EQ(summary(network, testing::all_native_table()),
              "row-of-600: 600 machines on 30 switches, plan HASH\n"
              "  trees          planned at run time; proved contention-free from r0n01\n"
              "                 linear  height 599, stage 1\n"
              "                 binary  height 33, stage 2\n"
              "                 kary3   height 18, stage 3\n"
              "  decision table made up for a test\n"
              "                 2 and more machines  native\n");
}

TEST(Thresholds, AreToldInOneLine) {
    EXPECT_EQ(thresholds_text({MessageRule{}}), "native");
    EXPECT_EQ(thresholds_text({{bcast::no_limit, Algorithm::linear, 8192}}), "linear (segment 8K)");
    EXPECT_EQ(thresholds_text({{4096, Algorithm::native, 0},
                               {16384, Algorithm::binary, 2048},
                               {65536, Algorithm::linear, 1024},
                               {bcast::no_limit, Algorithm::linear, 32768}}),
              "native up to 4K, binary up to 16K (segment 2K), linear above (segments 1K to 32K)");
    EXPECT_EQ(thresholds_text({{1000, Algorithm::binomial, 0}, {bcast::no_limit, Algorithm::native, 0}}),
              "binomial up to 1000, native above");
    EXPECT_EQ(thresholds_text({{8192, Algorithm::linear, 0}, {bcast::no_limit, Algorithm::linear, 8192}}),
              "linear (in one piece, then segments up to 8K)");
}

}  // namespace
}  // namespace bcastgen
