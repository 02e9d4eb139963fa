#include "bcast/facts/decision_table.hpp"

#include <gtest/gtest.h>

#include <string>

#include "bcast/facts/decision.hpp"

namespace bcast {
namespace {

constexpr MessageRule to_four[] = {{1024, Algorithm::native, 0}, {65536, Algorithm::binary, 4096}};
constexpr MessageRule eight[] = {{8192, Algorithm::multicast, 0}, {no_limit, Algorithm::linear, 8192}};
constexpr MessageRule late[] = {{no_limit, Algorithm::arrival_b, 512}};
constexpr Rule rule_rows[] = {
    {2, 4, 1, any_number, Arrival::balanced, to_four},
    {8, 8, 1, 4, Arrival::balanced, eight},
    {6, any_number, 1, any_number, Arrival::balanced, late},
    {4, 4, 1, any_number, Arrival::imbalanced, late},
};

struct Asked {
    Question question;
    const char* answer;
};

std::string text_of(const Answer<Rule>& answer) {
    static constexpr const char* reasons[] = {
        "rule", "no bytes", "no row", "above every rule", "untuned arrivals", "no multicast"};
    return std::string(name_of(answer.choice.algorithm)) + " " + std::to_string(answer.choice.segment_bytes) + ": " +
           reasons[static_cast<std::size_t>(answer.reason)] + ", row " +
           (answer.row == nullptr ? "none" : std::to_string(answer.row - rule_rows));
}

TEST(DecisionTable, TellsWhatAndWhy) {
    constexpr Arrival even = Arrival::balanced;
    constexpr Arrival uneven = Arrival::imbalanced;
    const Asked all[] = {
        // machines, ranks per machine, arrivals, bytes, whether there are multicast groups
        {{3, 1, even, 1, false}, "native 0: rule, row 0"},
        {{3, 1, even, 1024, false}, "native 0: rule, row 0"},
        {{3, 1, even, 1025, false}, "binary 4096: rule, row 0"},
        {{3, 1, even, 65537, false}, "native 0: above every rule, row 0"},
        {{3, 1, even, 0, false}, "native 0: no bytes, row 0"},
        {{5, 1, even, 1 << 20, false}, "native 0: no row, row none"},
        {{1, 4, even, 1 << 20, false}, "native 0: no row, row none"},
        {{8, 4, even, 1 << 20, false}, "linear 8192: rule, row 1"},
        {{8, 5, even, 1 << 20, false}, "arrival-b 512: rule, row 2"},
        {{8, 1, even, 8192, true}, "multicast 0: rule, row 1"},
        {{8, 1, even, 8192, false}, "latency 0: no multicast, row 1"},
        {{4, 1, uneven, 1024, false}, "arrival-b 512: rule, row 3"},
        {{3, 1, uneven, 1024, false}, "native 0: rule, row 0"},
        {{3, 1, uneven, 65535, false}, "binary 4096: rule, row 0"},
        {{3, 1, uneven, 65536, false}, "arrival-live 8192: untuned arrivals, row 0"},
        {{2, 1, uneven, 65536, false}, "binary 4096: rule, row 0"},
        {{5, 1, uneven, 65536, false}, "native 0: no row, row none"},
    };
    for (const Asked& one : all) {
        const Question& asked = one.question;
        EXPECT_EQ(text_of(look_up(Span<Rule>(rule_rows), asked)), one.answer)
            << asked.machines << " machines, " << asked.bytes << " bytes";
    }
}

TEST(DecisionTable, GivesWayToSettings) {
    Site site{};
    site.rules = rule_rows;
    Environment environment;
    const auto chosen = [&](std::size_t bytes) {
        const Choice choice = Decision(site, environment, 8, 1).choose(bytes, Arrival::balanced);
        return std::string(name_of(choice.algorithm)) + " " + std::to_string(choice.segment_bytes);
    };
    EXPECT_EQ(chosen(8192), "latency 0");
    environment.multicast_groups = "239.192.0.0/16";
    EXPECT_EQ(chosen(8192), "multicast 0");
    environment.multicast = MulticastSetting::off;
    EXPECT_EQ(chosen(8192), "latency 0");
    environment.segment_bytes = 100;
    EXPECT_EQ(chosen(8192), "latency 100");
    EXPECT_EQ(chosen(8193), "linear 100");
    EXPECT_EQ(chosen(0), "native 0");
    environment.algorithm = Algorithm::two_tree;
    environment.segment_bytes.reset();
    EXPECT_EQ(chosen(1), "two-tree 8192");
    EXPECT_EQ(chosen(0), "native 0");
}

}  // namespace
}  // namespace bcast
