// How many segments and blocks may be on their way at once.
#include <gtest/gtest.h>

#include <vector>

#include "bcast/roles/block_rounds.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"
#include "bcast/roles/send_window.hpp"

namespace bcast {
namespace {

constexpr std::size_t kib = 1024;
const Hop ten_gigabit_port{5'000, 2'000, 1'250'000'000, 4'000, 4'000, 0};  // 10 Gbit/s
const Hop gigabit_port{5'000, 40'000, 125'000'000, 80'000, 4'000, 0};
const Hop fast_ethernet_port{5'000, 40'000, 12'500'000, 80'000, 4'000, 0};  // 100 Mbit/s

TEST(SendWindow, OfAnOnlyTreeLeavesNoCardIdle) {
    const auto window = [](const Hop& hop, std::size_t trees) {
        return usual_window({40, 40, 16 * kib, trees}, hop, {});
    };
    EXPECT_EQ(window(ten_gigabit_port, 1).to_one_child, 2);  // 13.1 us each, and 4 until the first is known
    EXPECT_EQ(window(ten_gigabit_port, 2).to_one_child, 1);  // the other tree's go meanwhile
    EXPECT_EQ(window(fast_ethernet_port, 1).to_one_child, 1);
    EXPECT_EQ(usual_window({1, 1, 16 * kib, 1}, ten_gigabit_port, {}).to_one_child, 1);
}

TEST(SendWindow, PastASlowChildIsEachChildsOwn) {
    EXPECT_EQ(to_each_past_slow(1, ten_gigabit_port, 2), 2);
    EXPECT_EQ(to_each_past_slow(2, ten_gigabit_port, 2), 0);
    EXPECT_EQ(to_each_past_slow(1, fast_ethernet_port, 2), 0);
}

TEST(RoundsWindow, IsWiderWhereWaitingForAnswersTakesMoreThanDelays) {
    const auto window = [](const Hop& hop, std::size_t bytes, int phase) {
        return usual_rounds_window(hop, block_cut(hop, bytes, 8 * kib, true), phase, 1);
    };
    EXPECT_EQ(window(gigabit_port, 8 * 8 * kib, 4), 1);  // 8 answers of 80 us; 4 rounds of three blocks, 71 us each
    EXPECT_EQ(window(gigabit_port, 16 * 8 * kib, 4), 4);
    EXPECT_EQ(window(gigabit_port, 16 * 8 * kib, 7), 1);
    EXPECT_EQ(window(fast_ethernet_port, 63 * 8 * kib, 4), 1);
    EXPECT_EQ(window(fast_ethernet_port, 64 * 8 * kib, 4), 4);
    EXPECT_EQ(window(ten_gigabit_port, 8 * 8 * kib, 4), 4);
}

TEST(RoundsWindow, OfOneOnPortsThatMessagesShareHasReceivesPostedByRound) {
    EXPECT_TRUE(receives_by_round(fast_ethernet_port, 1));
    EXPECT_FALSE(receives_by_round(fast_ethernet_port, 2));
    EXPECT_FALSE(receives_by_round(ten_gigabit_port, 1));
}

TEST(RoundsWindow, SureBlocksAreThoseOfTheShortestMessageOnPortsThatSendInTurn) {
    EXPECT_EQ(sure_blocks(ten_gigabit_port, 16 * kib, 32 * kib - 1), 2);
    EXPECT_EQ(sure_blocks(ten_gigabit_port, 16 * kib, 32 * kib), 3);
    EXPECT_EQ(sure_blocks(gigabit_port, 16 * kib, 32 * kib), 0);
}

TEST(RoundsWindow, IsWiderInStrandsAndBeginsWithABlockOfEach) {
    const BlockCut cut = block_cut(ten_gigabit_port, 64 * 8 * kib, 8 * kib, true);
    EXPECT_EQ(usual_rounds_window(ten_gigabit_port, cut, 4, 3), 5);
    EXPECT_EQ(usual_rounds_window(ten_gigabit_port, cut, 4, 4), 6);
    EXPECT_EQ(first_rounds_window(5, 3), 3);
    EXPECT_EQ(first_rounds_window(2, 3), 2);  // as the rule says
    EXPECT_EQ(first_rounds_window(5, 1), 5);
}

/// Six machines on a switch, the fourth with a slow port: whoever sends to it knows.
TEST(Roles, KnowWhetherAChildIsSlow) {
    Layout layout{{0, 0, 0, 0, 0, 0}, {{}}};
    layout.ports.assign(6, {1'250'000'000, 1'000});
    layout.ports[3].bandwidth_Bps = 625'000'000;
    const Placement placement = place({0, 1, 2, 3, 4, 5});
    const Site site{};
    int knowing = 0;
    for (int rank = 0; rank < 6; ++rank) {
        Roles roles(site, layout, placement, rank);
        const TreeRole& role = roles.role(Algorithm::linear, 0, 1 << 20).trees.front();
        const bool sends_to_slow = role.children == std::vector<int>{3};
        EXPECT_EQ(role.has_slow_child, sends_to_slow) << rank;
        knowing += role.has_slow_child ? 1 : 0;
    }
    EXPECT_EQ(knowing, 1);
}

/// Of four machines on a switch the root sends to one that passes segments on, and to one that does not.
TEST(Roles, KnowWhichChildrenWait) {
    const Layout layout{{0, 0, 0, 0}, {{}}};
    const Placement placement = place({0, 1, 2, 3});
    const Site site{};
    Roles roles(site, layout, placement, 0);
    const TreeRole& role = roles.role(Algorithm::binary, 0, 1 << 20).trees.front();
    ASSERT_EQ(role.children.size(), 2U);
    ASSERT_EQ(role.waits.size(), 2U);
    for (std::size_t child = 0; child < 2; ++child) {
        Roles its_roles(site, layout, placement, role.children[child]);
        const TreeRole& its = its_roles.role(Algorithm::binary, 0, 1 << 20).trees.front();
        EXPECT_EQ(role.waits[child] != 0, its.children.empty());
        EXPECT_TRUE(its.waits.empty());
    }
    EXPECT_TRUE(roles.role(Algorithm::flat, 0, 1 << 20).trees.front().waits.empty());
}

TEST(SendWindow, LetsChildrenWaitOnlyWhereThePortIsTheirParentsAlone) {
    EXPECT_TRUE(some_wait(2, 1, ten_gigabit_port));
    EXPECT_FALSE(some_wait(1, 1, ten_gigabit_port));
    EXPECT_FALSE(some_wait(2, 2, ten_gigabit_port));
    EXPECT_FALSE(some_wait(2, 1, gigabit_port));
}

}  // namespace
}  // namespace bcast
