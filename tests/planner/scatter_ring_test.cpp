// The schedule of scatter-ring broadcasts: what each position holds and gets, counted; and that no phase has two sends
// on one link.
#include "bcast/scatter_ring.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "load.hpp"
#include "plan.hpp"
#include "plan_formats.hpp"
#include "random_network.hpp"

namespace bcastgen {
namespace {

/// Who holds what, by position and block.
using Held = std::vector<std::vector<bool>>;

Held after_scatter(int positions) {
    Held held(static_cast<std::size_t>(positions), std::vector<bool>(static_cast<std::size_t>(positions), false));
    held[0].assign(static_cast<std::size_t>(positions), true);
    // A parent's number is below its children's, so that it has its blocks before it is looked at.
    for (int parent = 0; parent < positions; ++parent) {
        for (const int child : bcast::scatter_children(parent, positions)) {
            EXPECT_EQ(bcast::scatter_parent(child), parent);
            for (int block = child; block < child + bcast::blocks_after_scatter(child, positions); ++block) {
                EXPECT_TRUE(held[static_cast<std::size_t>(parent)][static_cast<std::size_t>(block)]);
                held[static_cast<std::size_t>(child)][static_cast<std::size_t>(block)] = true;
            }
        }
    }
    return held;
}

/// Plays the ring, step by step, every position by its own bookkeeping. Returns the number of transfers.
long long play_ring(int positions, bool tuned, Held& held) {
    long long transfers = 0;
    for (int step = 0; step < positions - 1; ++step) {
        const Held before = held;
        for (int to = 0; to < positions; ++to) {
            if (step >= bcast::ring_blocks(to, positions, tuned)) continue;
            const int block = bcast::ring_block(to, positions, step);
            const int from = (to + positions - 1) % positions;
            EXPECT_TRUE(before[static_cast<std::size_t>(from)][static_cast<std::size_t>(block)]);
            if (tuned) {
                EXPECT_FALSE(before[static_cast<std::size_t>(to)][static_cast<std::size_t>(block)]) << "sent twice";
            }
            held[static_cast<std::size_t>(to)][static_cast<std::size_t>(block)] = true;
            ++transfers;
        }
    }
    return transfers;
}

TEST(ScatterRing, GivesEverybodyEveryBlockInThePredictedNumberOfTransfers) {
    long long spared = 0;  // one-bits of all numbers below `positions`
    for (int positions = 1; positions <= 300; ++positions) {
        spared += std::popcount(static_cast<unsigned>(positions - 1));
        for (const bool tuned : {false, true}) {
            Held held = after_scatter(positions);
            for (int position = 0; position < positions; ++position) {
                for (int block = 0; block < positions; ++block) {
                    EXPECT_EQ(held[static_cast<std::size_t>(position)][static_cast<std::size_t>(block)],
                              bcast::holds_after_scatter(position, positions, block));
                }
            }
            const long long transfers = play_ring(positions, tuned, held);
            EXPECT_EQ(transfers, bcast::ring_transfers(positions, tuned));
            EXPECT_EQ(transfers, static_cast<long long>(positions) * (positions - 1) - (tuned ? spared : 0));
            for (const std::vector<bool>& row : held) EXPECT_EQ(row, std::vector<bool>(row.size(), true));
        }
        if (HasFailure()) FAIL() << positions << " positions";
    }
}

TEST(ScatterRing, SparesWhatThePaperSays) {
    EXPECT_EQ(bcast::ring_transfers(8, false), 56);
    EXPECT_EQ(bcast::ring_transfers(8, true), 44);
    EXPECT_EQ(bcast::ring_transfers(10, false), 90);
    EXPECT_EQ(bcast::ring_transfers(10, true), 75);
}

TEST(ScatterRing, BlocksCoverTheMessageAndTheLastMayBeEmpty) {
    for (const std::size_t bytes : {1U, 2U, 9U, 10U, 11U, 64U, 1000U}) {
        for (int positions = 1; positions <= 20; ++positions) {
            const bcast::Blocks blocks(bytes, positions);
            EXPECT_EQ(blocks.begin(0), 0U);
            EXPECT_EQ(blocks.end(positions - 1), bytes);
            for (int block = 0; block < positions; ++block) {
                EXPECT_LE(blocks.begin(block), blocks.end(block));
                EXPECT_LE(blocks.end(block) - blocks.begin(block), blocks.end(0));
            }
        }
    }
}

/// True if no two of the sends (pairs of positions) use the same directed link.
bool free_of_contention(const Network& network, const bcast::Order& order,
                        const std::vector<std::pair<int, int>>& sends) {
    const Paths paths(network);
    std::set<LinkId> used;
    for (const auto& [from, to] : sends) {
        for (const LinkId link : paths.between(order.machines[static_cast<std::size_t>(from)],
                                               order.machines[static_cast<std::size_t>(to)])) {
            if (!used.insert(link).second) return false;
        }
    }
    return true;
}

RC_GTEST_PROP(ScatterRing, NoPhaseHasTwoSendsOnALink, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 2 + below(60);
    const auto shape = static_cast<testing::Shape>(below(static_cast<int>(testing::Shape::count)));
    const Network network = testing::random_network(machines, 1 + below(30), shape, below(2) == 0, random);
    std::vector<int> members;
    for (int machine = 0; machine < machines; ++machine) members.push_back(machine);
    const bcast::Order order = bcast::depth_first_order(layout_of(network), members, below(machines));
    std::vector<std::pair<int, int>> ring;
    for (int position = 0; position < machines; ++position) ring.emplace_back(position, (position + 1) % machines);
    RC_ASSERT(free_of_contention(network, order, ring));
    for (int distance = 1; distance < machines; distance *= 2) {
        std::vector<std::pair<int, int>> phase;
        for (int to = distance; to < machines; to += 2 * distance) phase.emplace_back(bcast::scatter_parent(to), to);
        RC_ASSERT(free_of_contention(network, order, phase));
    }
}

RC_GTEST_PROP(ScatterRing, PlansOfAnyRootAndSubsetAreProved, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 1 + below(40);
    const auto shape = static_cast<testing::Shape>(below(static_cast<int>(testing::Shape::count)));
    const Network network = testing::random_network(machines, 1 + below(20), shape, below(2) == 0, random);
    PlanRequest request;
    request.tree = below(2) == 0 ? TreeKind::scatter_ring : TreeKind::scatter_ring_tuned;
    request.root = below(machines);
    for (int machine = 0; machine < machines; ++machine) {
        if (machine == request.root || below(3) > 0) request.machines.push_back(machine);
    }
    const Plan plan = make_plan(network, request);  // throws if two senders of a phase meet, or a block is missing
    const int positions = plan.order.size();
    RC_ASSERT(plan.contention_free);
    RC_ASSERT(plan.ring_transfers == bcast::ring_transfers(positions, request.tree == TreeKind::scatter_ring_tuned));
    // A machine receives its part of the scatter and then all blocks but its own, or but those it has.
    for (int position = 1; position < positions; ++position) {
        const int machine = plan.order.machines[static_cast<std::size_t>(position)];
        const int scattered = bcast::blocks_after_scatter(position, positions);
        const int ring = request.tree == TreeKind::scatter_ring_tuned ? positions - scattered : positions - 1;
        const double load = static_cast<double>(scattered + ring) / positions;
        RC_ASSERT(std::abs(plan.loads[static_cast<std::size_t>(port_in(machine))] - load) < 1e-9);
    }
    RC_ASSERT(plan.stage < 2);
}

TEST(ScatterRing, JsonCountsTransfersAndClosesTheRing) {
    const Network network = testing::make_network(1, {}, std::vector<int>(8, 0));
    for (const auto& [kind, transfers] : {std::pair{TreeKind::scatter_ring, 56}, {TreeKind::scatter_ring_tuned, 44}}) {
        PlanRequest request;
        request.tree = kind;
        const auto json = nlohmann::json::parse(plan_json(network, make_plan(network, request)));
        EXPECT_EQ(json["allgather_transfers"], transfers);
        EXPECT_EQ(json["tree"], name_of(kind));
        EXPECT_EQ(json["trees"][0]["edges"].size(), 7U);
        ASSERT_EQ(json["ring"].size(), 8U);
        EXPECT_EQ(json["ring"][7][1], json["root"]);
    }
}

}  // namespace
}  // namespace bcastgen
