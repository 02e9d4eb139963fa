#include "bench/programs/opponents/circulant_schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace bcastgen {
namespace {

int rounds_for(int ranks) {
    int rounds = 0;
    while ((1 << rounds) < ranks) ++rounds;
    return rounds;
}

/// By rank.
std::vector<CirculantSchedule> schedules_of(int ranks) {
    std::vector<CirculantSchedule> schedules;
    for (int rank = 0; rank < ranks; ++rank) schedules.push_back(circulant_schedule(ranks, rank));
    return schedules;
}

/// What is wrong with the broadcast of so many blocks, played round by round; empty if nothing.
std::string wrong_with(int ranks, int blocks, const std::vector<CirculantSchedule>& schedules) {
    std::vector<std::vector<CirculantRound>> rounds;
    for (int rank = 0; rank < ranks; ++rank) {
        rounds.push_back(circulant_rounds(schedules[static_cast<std::size_t>(rank)], ranks, rank, blocks));
        if (static_cast<int>(rounds.back().size()) != blocks - 1 + rounds_for(ranks)) return "number of rounds";
    }
    std::vector<std::vector<bool>> has(rounds.size(), std::vector<bool>(static_cast<std::size_t>(blocks), false));
    has[0].assign(static_cast<std::size_t>(blocks), true);
    for (std::size_t round = 0; round < rounds[0].size(); ++round) {
        const auto before = has;
        for (std::size_t rank = 0; rank < rounds.size(); ++rank) {
            const CirculantRound& one = rounds[rank][round];
            const std::string where = " in round " + std::to_string(round) + " at rank " + std::to_string(rank);
            if (one.to >= 0) {
                if (!before[rank][static_cast<std::size_t>(one.send)]) return "sends what it has not" + where;
                const CirculantRound& other = rounds[static_cast<std::size_t>(one.to)][round];
                if (other.from != static_cast<int>(rank) || other.receive != one.send) return "not expected" + where;
            }
            if (one.from >= 0) {
                if (rounds[static_cast<std::size_t>(one.from)][round].to != static_cast<int>(rank)) {
                    return "nobody sends" + where;
                }
                if (has[rank][static_cast<std::size_t>(one.receive)]) return "comes again" + where;
                has[rank][static_cast<std::size_t>(one.receive)] = true;
            }
        }
    }
    for (const std::vector<bool>& blocks_there : has) {
        if (std::find(blocks_there.begin(), blocks_there.end(), false) != blocks_there.end()) return "misses a block";
    }
    return "";
}

TEST(Circulant, SkipsOfThePaper) {
    EXPECT_EQ(circulant_skips(2), (std::vector<int>{1, 2}));
    EXPECT_EQ(circulant_skips(17), (std::vector<int>{1, 2, 3, 5, 9, 17}));
    EXPECT_EQ(circulant_skips(64), (std::vector<int>{1, 2, 4, 8, 16, 32, 64}));
}

TEST(Circulant, OneRankHasNothingToDo) {
    EXPECT_TRUE(circulant_rounds(circulant_schedule(1, 0), 1, 0, 5).empty());
}

// The four conditions of arXiv 2407.18004: blocks sent are blocks received, by both ends; each rank receives every
// block of a phase once; and it sends only what it received in earlier rounds, or its own base block of the phase
// before.
TEST(Circulant, ConditionsHoldForEveryRank) {
    for (int ranks = 2; ranks <= 200; ++ranks) {
        const std::vector<int> skips = circulant_skips(ranks);
        const int phase = rounds_for(ranks);
        ASSERT_EQ(static_cast<int>(skips.size()), phase + 1);
        const std::vector<CirculantSchedule> schedules = schedules_of(ranks);
        for (int rank = 0; rank < ranks; ++rank) {
            const CirculantSchedule& own = schedules[static_cast<std::size_t>(rank)];
            const int base = base_block(skips, rank);
            std::set<int> expected;
            for (int block = -phase; block < 0; ++block) expected.insert(block);
            if (rank != 0) expected.erase(base - phase), expected.insert(base);
            ASSERT_EQ(std::set<int>(own.receives.begin(), own.receives.end()), expected) << rank << " of " << ranks;
            ASSERT_EQ(static_cast<int>(own.receives.size()), phase);
            std::set<int> there{base - phase};
            for (int k = 0; k < phase; ++k) {
                const auto round = static_cast<std::size_t>(k);
                const int receiver = (rank + skips[round]) % ranks;
                ASSERT_EQ(own.sends[round], schedules[static_cast<std::size_t>(receiver)].receives[round]);
                if (rank == 0) {
                    ASSERT_EQ(own.sends[round], k) << "the root, of " << ranks;
                } else if (receiver != 0) {
                    ASSERT_TRUE(there.count(own.sends[round]) == 1) << rank << " of " << ranks << ", round " << k;
                }
                there.insert(own.receives[round]);
            }
        }
    }
}

TEST(Circulant, EveryRankGetsEveryBlockOnceAndBeforeItSendsIt) {
    for (int ranks = 1; ranks <= 40; ++ranks) {
        const std::vector<CirculantSchedule> schedules = schedules_of(ranks);
        for (int blocks = 1; ranks > 1 && blocks <= 20; ++blocks) {
            ASSERT_EQ(wrong_with(ranks, blocks, schedules), "") << ranks << " ranks, " << blocks << " blocks";
        }
    }
}

RC_GTEST_PROP(Circulant, SoDoManyRanks, ()) {
    const int ranks = *rc::gen::inRange(2, 700);
    const int blocks = *rc::gen::inRange(1, 60);
    RC_ASSERT(wrong_with(ranks, blocks, schedules_of(ranks)) == "");
}

}  // namespace
}  // namespace bcastgen
