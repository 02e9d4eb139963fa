// Broadcasts on the circulant graph: every block reaches everybody, once, in as few rounds as can be.
#include "bcast/trees/circulant.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bcast/roles/block_rounds.hpp"
#include "planner/plan/plan.hpp"
#include "tests/models/random_network.hpp"

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
std::string play(const std::vector<CirculantPlace>& places, const CirculantBlocks& all) {
    const std::int64_t blocks = all.count;
    std::vector<std::vector<CirculantRound>> rounds(places.size());
    for (const CirculantPlace& place : places) {
        visit_circulant_rounds(place, all, [&](const CirculantRound& round) {
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
    const std::int64_t most = circulant_rounds(all.planned, places.front().phase(), all.strands);
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
            ASSERT_EQ(play(places, {blocks, blocks, 1}), "") << positions << " positions, " << blocks << " blocks";
        }
        ASSERT_EQ(play(places, {2 * phase + 1, 2 * phase + 1, 1}), "") << positions;
    }
}

TEST(Circulant, DealsStrandsOutInTurn) {
    for (int positions = 2; positions <= 40; ++positions) {
        const std::vector<CirculantPlace> places = places_of(positions);
        for (std::int64_t blocks = 1; blocks <= 17; ++blocks) {
            for (std::int64_t strands = 2; strands <= std::min<std::int64_t>(blocks, 6); ++strands) {
                const std::string where = std::to_string(positions) + " positions, " + std::to_string(blocks) +
                                          " blocks, " + std::to_string(strands) + " strands";
                ASSERT_EQ(play(places, {blocks, blocks, strands}), "") << where;
                ASSERT_EQ(play(places, {blocks, blocks + positions % 7, strands}), "") << where << ", more planned";
            }
        }
    }
}

/// Counted from what visit_circulant_rounds tells; and a sender whose message is longer sends no less.
TEST(Circulant, SaysHowManyBlocksComeFromEachSender) {
    for (int positions = 2; positions <= 40; ++positions) {
        for (const CirculantPlace& place : places_of(positions)) {
            std::vector<std::int64_t> before(static_cast<std::size_t>(place.phase()), 0);
            EXPECT_EQ(circulant_received(place, 0, 0), 0);
            for (std::int64_t blocks = 1; blocks <= 20; ++blocks) {
                std::vector<std::int64_t> received(before.size(), 0);
                visit_circulant_rounds(place, {blocks, blocks, 1}, [&](const CirculantRound& round) {
                    received[static_cast<std::size_t>(round.k)] += round.receive >= 0 ? 1 : 0;
                });
                for (std::size_t k = 0; k < received.size(); ++k) {
                    ASSERT_EQ(circulant_received(place, blocks, static_cast<int>(k)), received[k])
                        << place.position << " of " << positions << ", " << blocks << " blocks, round " << k;
                    ASSERT_GE(received[k], before[k]);
                }
                before = received;
            }
        }
    }
}

RC_GTEST_PROP(Circulant, ServesThousands, ()) {
    const int positions = *rc::gen::inRange(2, 5001);
    const std::int64_t blocks = *rc::gen::inRange(1, 20);
    const std::int64_t strands = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(blocks, 4) + 1);
    const std::int64_t planned = blocks + *rc::gen::inRange(0, 50);
    RC_ASSERT(play(places_of(positions), {blocks, planned, strands}) == "");
}

// Phases are whole in every one of several strands; blocks that make them so do not exist.
TEST(Circulant, PlansWholePhasesForStrands) {
    EXPECT_EQ(planned_blocks(BlockCut(700'000, 17'408, false), 3, 4), 48);  // of 41
    EXPECT_EQ(planned_blocks(BlockCut(36 * 17'408, 17'408, false), 3, 4), 36);
    EXPECT_EQ(planned_blocks(BlockCut(39 * 17'408, 17'408, false), 3, 4), 39) << "one more in every strand";
    EXPECT_EQ(planned_blocks(BlockCut(100'000, 17'408, false), 3, 4), 6) << "fewer than a phase";
    EXPECT_EQ(planned_blocks(BlockCut(700'000, 17'408, false), 1, 4), 41);
}

// At 100 Gbit/s software and latency take 2.8 us from machine to machine beside the wire.
TEST(Circulant, TakesStrandsForBlocksThatKeepStep) {
    const Hop fast{400, 2000, 12'500'000'000, 4000, 400};
    EXPECT_EQ(usual_strands(fast, 34'944, 16), 2);  // 2.8 us on the wire
    EXPECT_EQ(usual_strands(fast, 17'472, 16), 3);
    EXPECT_EQ(usual_strands(fast, 11'648, 16), 4);
    EXPECT_EQ(usual_strands(fast, 16'384, 16), 1) << "the next machine has it too late";
    EXPECT_EQ(usual_strands(fast, 12'288, 16), 1) << "and here too early";
    EXPECT_EQ(usual_strands(fast, 8192, 16), 1) << "the processors have more to do than the ports";
    EXPECT_EQ(usual_strands(fast, 17'472, 13), 1) << "some have nothing to send in some rounds";
    const Hop kernel{5000, 2000, 1'250'000'000, 4000, 4000};
    EXPECT_EQ(usual_strands(kernel, 18'304, 16), 2) << "11 us, and 3.7 for what each byte takes of two processors";
    const Hop slow{5000, 40'000, 12'500'000, 80'000, 0};
    EXPECT_EQ(usual_strands(slow, 17'472, 16), 1);
}

// Where a rule is for messages of one block, too, its length has to be told first.
TEST(Circulant, NeedsNoHeraldsWhereAllMessagesAreLongerThanABlock) {
    EXPECT_TRUE(go_unheralded(16'384, 16'384, 1));
    EXPECT_FALSE(go_unheralded(16'384, 16'383, 1));
    EXPECT_FALSE(go_unheralded(17'472, 100'000, 3));
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

bcastgen::Plan plan_on(const bcastgen::Network& network, int root) {
    bcastgen::PlanRequest request = bcastgen::request_of(Algorithm::circulant);
    request.root = root;
    return bcastgen::make_plan(network, request);
}

TEST(Circulant, IsFreeOfContentionOnOneSwitch) {
    for (int machines = 1; machines <= 70; ++machines) {
        const bcastgen::Network network =
            bcastgen::testing::make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
        const bcastgen::Plan plan = plan_on(network, machines / 2);
        ASSERT_TRUE(plan.contention_free) << machines;
        ASSERT_LE(plan.stage, 1 + 1e-9) << machines;
    }
}

// Eight machines on each of two switches: skips 1, 2, 4 and 8 put as many streams on the trunk, but for those that
// would go to the root: in round 3 all of the second switch's first, and before that the last one of each round's.
TEST(Circulant, LoadsATrunkByEachRoundsShift) {
    bcastgen::Network network =
        bcastgen::testing::make_network(2, {{0, 1}}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1});
    const bcastgen::Plan plan = plan_on(network, 0);
    EXPECT_FALSE(plan.contention_free);
    EXPECT_DOUBLE_EQ(plan.loads[static_cast<std::size_t>(trunk_link(network, 0, true))], (1 + 2 + 4 + 8) / 4.0);
    EXPECT_DOUBLE_EQ(plan.loads[static_cast<std::size_t>(trunk_link(network, 0, false))], (0 + 1 + 3 + 7) / 4.0);
    network.trunks[0].speed.bandwidth_Bps = 7.9 * network.machines[0].port.bandwidth_Bps;
    EXPECT_FALSE(plan_on(network, 0).contention_free);
    network.trunks[0].speed.bandwidth_Bps = 8 * network.machines[0].port.bandwidth_Bps;
    EXPECT_TRUE(plan_on(network, 0).contention_free);
}

/// What is proved is what is sent: a plan whose trees and rounds differ, or miss a machine, is refused.
RC_GTEST_PROP(Circulant, IsProvedOnAnyNetwork, ()) {
    const int machines = *rc::gen::inRange(1, 60);
    const int switches = *rc::gen::inRange(1, 9);
    const int shape = *rc::gen::inRange(0, static_cast<int>(bcastgen::testing::Shape::count));
    std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
    const bcastgen::Network network = bcastgen::testing::random_network(
        machines, switches, static_cast<bcastgen::testing::Shape>(shape), false, random);
    const int root = *rc::gen::inRange(0, static_cast<int>(network.machines.size()));
    const bcastgen::Plan plan = plan_on(network, root);
    for (std::size_t port = 0; port < 2 * network.machines.size(); ++port) RC_ASSERT(plan.loads[port] < 1 + 1e-9);
}

}  // namespace
}  // namespace bcast
