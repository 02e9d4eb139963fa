#include "tuner/search/found_table.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tuner/program/measured.hpp"

namespace bcastgen {
namespace {

/// At 1K, 4K and 16K: the two-tree, so many times as quick as native.
std::vector<Verdict> verdicts(const std::vector<double>& speed_ups) {
    std::vector<Verdict> all;
    std::size_t bytes = 1024;
    for (const double speed_up : speed_ups) {
        Estimate native;
        native.median = native.low = native.high = 100;
        native.samples = 1;
        Estimate chosen = native;
        chosen.median = chosen.low = chosen.high = 100 / speed_up;
        all.push_back({{bytes, {"two-tree", 512, bytes}}, native, chosen, true});
        bytes *= 4;
    }
    return all;
}

std::string text_of(const std::vector<Rule>& rows) {
    std::string text;
    for (const Rule& row : rows) {
        for (const MessageRule& message : row.messages) {
            const auto end = [](auto number, auto none) {
                return number == none ? std::string("max") : std::to_string(number);
            };
            text += std::to_string(row.machines_from) + "-" + end(row.machines_to, bcast::any_number) + " x " +
                    std::to_string(row.ranks_per_machine_from) + "-" +
                    end(row.ranks_per_machine_to, bcast::any_number) + " to " + end(message.up_to, bcast::no_limit) +
                    ": " + bcast::name_of(message.algorithm) + "\n";
        }
    }
    return text;
}

TEST(FoundTable, TrustsACountForNoFewerThanHalfAsManyMachines) {
    const ValidatedShape one{{16, 1, "balanced"}, 9, {"near"}, {verdicts({2, 2, 2})}, "near", verdicts({2, 2, 2})};
    const FoundTable table = found_table({one}, 0.02);
    EXPECT_EQ(text_of(table.rules), "2-8 x 1-max to max: native\n9-max x 1-max to max: two-tree\n");
    ASSERT_EQ(table.validations.size(), 6U);
    EXPECT_EQ(table.validations[0].machines, 16);
    EXPECT_EQ(table.validations[3].machines, 9);
}

TEST(FoundTable, GivesFewerMachinesWhatIsWonWithThemToo) {
    const ValidatedShape one{{16, 1, "balanced"}, 9, {"near"}, {verdicts({2, 2, 2})}, "near", verdicts({2, 0.9, 2})};
    const FoundTable table = found_table({one}, 0.02);
    EXPECT_EQ(text_of(table.rules),
              "2-8 x 1-max to max: native\n"
              "9-15 x 1-max to 1024: two-tree\n9-15 x 1-max to 16383: native\n9-15 x 1-max to max: two-tree\n"
              "16-max x 1-max to max: two-tree\n");
    EXPECT_TRUE(table.validations[1].kept);   // for 16 machines
    EXPECT_FALSE(table.validations[4].kept);  // for 9
    EXPECT_EQ(table.unvalidated, 0U);
}

TEST(FoundTable, LeavesFewerMachinesNativeWhereThereWasNoTimeToTryThem) {
    std::vector<Verdict> not_tried = verdicts({2, 2, 2});
    for (Verdict& verdict : not_tried) verdict.measured = false;
    const ValidatedShape one{{3, 1, "balanced"}, 2, {"near"}, {verdicts({2, 2, 2})}, "near", not_tried};
    const FoundTable table = found_table({one}, 0.02);
    EXPECT_EQ(text_of(table.rules), "2-2 x 1-max to max: native\n3-max x 1-max to max: two-tree\n");
    EXPECT_EQ(table.unvalidated, 3U);
}

TEST(FoundTable, KeepsWhatIsForeseen) {
    std::vector<Verdict> foreseen = verdicts({2, 2, 2});
    for (Verdict& verdict : foreseen) {
        verdict.measured = false;
        verdict.foreseen = true;
    }
    const ValidatedShape one{{3, 1, "balanced"}, 2, {"near"}, {verdicts({2, 2, 2})}, "near", foreseen};
    const FoundTable table = found_table({one}, 0.02);
    EXPECT_EQ(text_of(table.rules), "2-2 x 1-max to max: two-tree\n3-max x 1-max to max: two-tree\n");
    EXPECT_EQ(table.rules[0].messages[0].grounds, Grounds::predicted);
    EXPECT_EQ(table.rules[1].messages[0].grounds, Grounds::measured);
    EXPECT_EQ(table.unvalidated, 0U);
    EXPECT_EQ(table.foreseen, 3U);
    EXPECT_EQ(table.validations.size(), 3U);  // of what was measured
}

TEST(FoundTable, HasTheModelsRulesAboveTheLastTrialIfThatWon) {
    ValidatedShape one{{2, 1, "balanced"}, 2, {"near"}, {verdicts({2, 2, 2})}, "near", {}};
    const bcast::Algorithm two_tree = algorithm_called("two-tree").value();
    one.predicted_above = {
        {32768, two_tree, 512}, {65536, bcast::usual::chain, 4096}, {bcast::no_limit, two_tree, 8192}};
    one.ends_as_predicted = true;
    const FoundTable table = found_table({one}, 0.02);
    EXPECT_EQ(text_of(table.rules),
              "2-max x 1-max to 32768: two-tree\n2-max x 1-max to 65536: linear\n2-max x 1-max to max: two-tree\n");
    EXPECT_EQ(table.rules[0].messages[0].grounds, Grounds::measured);
    EXPECT_EQ(table.rules[0].messages[1].grounds, Grounds::predicted);
    EXPECT_EQ(table.validations.size(), 3U);
    one.verdicts = {verdicts({2, 2, 0.9})};
    EXPECT_EQ(text_of(found_table({one}, 0.02).rules),
              "2-max x 1-max to 4096: two-tree\n2-max x 1-max to max: native\n");
    one.verdicts = {verdicts({2, 2, 2})};
    one.ends_as_predicted = false;
    EXPECT_EQ(text_of(found_table({one}, 0.02).rules), "2-max x 1-max to max: two-tree\n");
}

TEST(FoundTable, TakesTheModelsChoiceForWhatNobodyHadTheTimeToDecide) {
    std::vector<Verdict> open = verdicts({2, 2, 2});
    open[2].measured = false;
    const FoundTable without = found_table({{{2, 1, "balanced"}, 2, {"near"}, {open}, "near", {}}}, 0.02);
    EXPECT_EQ(text_of(without.rules), "2-max x 1-max to 4096: two-tree\n2-max x 1-max to max: native\n");
    EXPECT_EQ(without.unvalidated, 1U);
    open[2].instead = MeasureCase{"linear", 4096, 16384};
    ValidatedShape one{{2, 1, "balanced"}, 2, {"near"}, {open}, "near", {}};
    one.predicted_above = {{32768, bcast::usual::chain, 4096}, {bcast::no_limit, bcast::usual::chain, 8192}};
    const FoundTable table = found_table({one}, 0.02);
    ASSERT_EQ(text_of(table.rules),
              "2-max x 1-max to 4096: two-tree\n2-max x 1-max to 32768: linear\n2-max x 1-max to max: linear\n");
    EXPECT_EQ(table.rules[0].messages[1].grounds, Grounds::predicted);
    EXPECT_EQ(table.unvalidated, 0U);
    EXPECT_EQ(table.foreseen, 1U);
}

TEST(FoundTable, LeavesItNativeWhereTheModelsChoiceIsNotForeseenOnAllSetsOfMachines) {
    std::vector<Verdict> open = verdicts({2, 2, 2});
    open[2].measured = false;
    open[2].instead = MeasureCase{"linear", 4096, 16384};
    std::vector<Verdict> unsure = open;
    unsure[2].instead.reset();
    const FoundTable both =
        found_table({{{2, 1, "balanced"}, 2, {"near", "spread"}, {open, unsure}, "near", {}}}, 0.02);
    EXPECT_EQ(text_of(both.rules), "2-max x 1-max to 4096: two-tree\n2-max x 1-max to max: native\n");
    EXPECT_EQ(both.unvalidated, 2U);
    // What was found to be slower is no open question.
    std::vector<Verdict> lost = verdicts({2, 2, 0.9});
    lost[2].instead = MeasureCase{"linear", 4096, 16384};
    const FoundTable decided = found_table({{{2, 1, "balanced"}, 2, {"near"}, {lost}, "near", {}}}, 0.02);
    EXPECT_EQ(text_of(decided.rules), "2-max x 1-max to 4096: two-tree\n2-max x 1-max to max: native\n");
}

TEST(FoundTable, HasARowForOneMachineThatMoreMachinesDoNotFollow) {
    const ValidatedShape one{{1, 8, "balanced"}, 1, {"near"}, {verdicts({2})}, "near", {}};
    const ValidatedShape three{{3, 8, "balanced"}, 2, {"near"}, {verdicts({2})}, "near", verdicts({2})};
    EXPECT_EQ(text_of(found_table({one}, 0.02).rules), "1-1 x 1-max to max: two-tree\n");
    EXPECT_EQ(text_of(found_table({one, three}, 0.02).rules),
              "1-1 x 1-max to max: two-tree\n2-max x 1-max to max: two-tree\n");
}

TEST(FoundTable, CoversAllCountsOfMachinesAndRanks) {
    std::vector<ValidatedShape> shapes;
    for (const int machines : {2, 3, 5}) {
        for (const int ranks : {1, 4}) {
            shapes.push_back({{machines, ranks, "balanced"},
                              machines == 5 ? 4 : machines,
                              {"near"},
                              {verdicts({ranks == 1 ? 2.0 : 0.5})},
                              "near",
                              {}});
        }
    }
    EXPECT_EQ(text_of(found_table(shapes, 0.02).rules),
              "2-2 x 1-1 to max: two-tree\n2-2 x 2-max to max: native\n"
              "3-3 x 1-1 to max: two-tree\n3-3 x 2-max to max: native\n"
              "4-max x 1-1 to max: two-tree\n4-max x 2-max to max: native\n");
}

}  // namespace
}  // namespace bcastgen
