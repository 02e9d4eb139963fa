// Broadcasts on the circulant graph: every block reaches everybody, once, in as few rounds as can be.
#include "bcast/trees/circulant.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace bcast {
namespace {

std::string text_of(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : " ") + std::to_string(number);
    return text;
}

int phase_of(int positions) {
    int phase = 0;
    while ((1 << phase) < positions) ++phase;
    return phase;
}

std::vector<CirculantPlace> places_of(int positions) {
    std::vector<CirculantPlace> places;
    for (int position = 0; position < positions; ++position) places.push_back(circulant_place(positions, position));
    return places;
}

/// Plays all positions' rounds against each other. What is wrong, or nothing.
std::string play(const std::vector<CirculantPlace>& places, std::int64_t blocks, std::int64_t strands) {
    std::vector<std::vector<CirculantRound>> rounds(places.size());
    for (const CirculantPlace& place : places) {
        visit_circulant_rounds(place, blocks, strands, [&](const CirculantRound& round) {
            rounds[static_cast<std::size_t>(place.position)].push_back(round);
        });
    }
    std::vector<std::vector<char>> holds(places.size(), std::vector<char>(static_cast<std::size_t>(blocks), 0));
    std::fill(holds[0].begin(), holds[0].end(), 1);
    for (std::size_t number = 0; number < rounds[0].size(); ++number) {
        std::vector<std::pair<std::size_t, std::size_t>> came;
        for (const CirculantPlace& place : places) {
            const auto from = static_cast<std::size_t>(place.position);
            const CirculantRound& round = rounds[from][number];
            const auto to = static_cast<std::size_t>(place.to(round.k));
            const std::string where = "position " + std::to_string(from) + " in round " + std::to_string(number);
            const CirculantRound& other = rounds[to][number];
            if (other.k != round.k || other.receive != round.send) return where + " sends what nobody receives";
            if (round.send < 0) continue;
            const auto block = static_cast<std::size_t>(round.send);
            if (holds[from][block] == 0) return where + " sends what it has not";
            if (holds[to][block] != 0) return where + " sends what is there";
            came.emplace_back(to, block);
        }
        for (const auto& [to, block] : came) holds[to][block] = 1;
    }
    for (const std::vector<char>& held : holds) {
        if (std::count(held.begin(), held.end(), 1) != blocks) return "a block is missing";
    }
    const std::int64_t most = circulant_rounds(blocks, places.front().phase(), strands);
    const auto taken = static_cast<std::int64_t>(rounds[0].size());
    // Strands of unequal length end within one turn of each other.
    return taken == most ? "" : std::to_string(taken) + " rounds, not " + std::to_string(most);
}

TEST(Circulant, IsTheOneOfThePicture) {
    EXPECT_EQ(text_of(circulant_place(5, 0).skips), "1 2 3");
    EXPECT_EQ(text_of(circulant_place(5, 0).sends), "0 1 2");
    EXPECT_EQ(text_of(circulant_place(5, 3).receives), "-2 -3 2");
    EXPECT_EQ(circulant_place(1, 0).phase(), 0);
    EXPECT_EQ(text_of(circulant_place(2, 1).receives), "0");
    EXPECT_EQ(text_of(circulant_place(16, 0).skips), "1 2 4 8");
    EXPECT_EQ(text_of(circulant_place(17, 0).skips), "1 2 3 5 9");
}

TEST(Circulant, ReachesAllOnceInTheFewestRounds) {
    for (int positions = 2; positions <= 300; ++positions) {
        const std::vector<CirculantPlace> places = places_of(positions);
        const int phase = phase_of(positions);
        ASSERT_EQ(places.front().phase(), phase);
        for (std::int64_t blocks = 1; blocks <= (positions <= 40 ? 3 * phase + 1 : 4); ++blocks) {
            ASSERT_EQ(play(places, blocks, 1), "") << positions << " positions, " << blocks << " blocks";
        }
        ASSERT_EQ(play(places, 2 * phase + 1, 1), "") << positions;
    }
}

TEST(Circulant, DealsStrandsOutInTurn) {
    for (int positions = 2; positions <= 40; ++positions) {
        const std::vector<CirculantPlace> places = places_of(positions);
        for (std::int64_t blocks = 1; blocks <= 17; ++blocks) {
            for (std::int64_t strands = 2; strands <= std::min<std::int64_t>(blocks, 6); ++strands) {
                ASSERT_EQ(play(places, blocks, strands), "")
                    << positions << " positions, " << blocks << " blocks, " << strands << " strands";
            }
        }
    }
}

RC_GTEST_PROP(Circulant, ServesThousands, ()) {
    const int positions = *rc::gen::inRange(2, 5001);
    const std::int64_t blocks = *rc::gen::inRange(1, 20);
    const std::int64_t strands = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(blocks, 4) + 1);
    RC_ASSERT(play(places_of(positions), blocks, strands) == "");
}

// Each block's way is a tree, and together they send over each edge of the graph once in a phase.
TEST(Circulant, BlocksGoDownTrees) {
    for (int positions = 1; positions <= 300; ++positions) {
        const std::vector<Tree> trees = circulant_trees(positions);
        ASSERT_EQ(static_cast<int>(trees.size()), std::max(1, phase_of(positions)));
        std::vector<std::size_t> sent(static_cast<std::size_t>(positions), 0);
        for (const Tree& tree : trees) {
            std::vector<int> reached{0};
            for (std::size_t i = 0; i < reached.size() && reached.size() <= sent.size(); ++i) {
                const std::vector<int>& children = tree.children[static_cast<std::size_t>(reached[i])];
                sent[static_cast<std::size_t>(reached[i])] += children.size();
                reached.insert(reached.end(), children.begin(), children.end());
            }
            ASSERT_EQ(reached.size(), sent.size()) << positions;
            ASSERT_LT(height_of(tree), std::max(2, 2 * phase_of(positions))) << positions;
        }
        for (const std::size_t sends : sent) ASSERT_LE(sends, trees.size()) << positions;
    }
}

}  // namespace
}  // namespace bcast
