// The schedule of scatter-ring broadcasts: what each position holds and gets, counted; and that no phase has two sends
// on one link.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <vector>

#include "bcast/trees/scatter_cost.hpp"
#include "planner/network/paths.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/print/plan_formats.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

/// Who holds what, by position and block.
using Held = std::vector<std::vector<bool>>;

/// Every parent sends its children what it holds of their subtrees.
Held after_scatter(const bcast::Tree& scatter) {
    const auto positions = static_cast<std::size_t>(scatter.size());
    const std::vector<int> blocks = bcast::blocks_held(scatter);
    Held held(positions, std::vector<bool>(positions, false));
    held[0].assign(positions, true);
    // A parent's number is below its children's, so that it has its blocks before it is looked at.
    for (std::size_t parent = 0; parent < positions; ++parent) {
        for (const int child : scatter.children[parent]) {
            const auto at = static_cast<std::size_t>(child);
            EXPECT_GT(at, parent);
            for (std::size_t block = at; block < at + static_cast<std::size_t>(blocks[at]); ++block) {
                EXPECT_TRUE(held[parent].at(block));
                EXPECT_FALSE(held[at][block]) << "sent twice";
                held[at][block] = true;
            }
        }
    }
    return held;
}

/// The sum of the depths of all positions.
long long depths(const bcast::Tree& tree) {
    std::vector<int> depth(tree.parent.size(), 0);
    long long sum = 0;
    for (std::size_t position = 1; position < depth.size(); ++position) {
        depth[position] = depth[static_cast<std::size_t>(tree.parent[position])] + 1;
        sum += depth[position];
    }
    return sum;
}

/// Plays the ring, step by step, every position by its own bookkeeping. Returns the number of transfers.
long long play_ring(const bcast::Tree& scatter, bool tuned, Held& held) {
    const int positions = scatter.size();
    const std::vector<int> blocks = bcast::blocks_held(scatter);
    long long transfers = 0;
    for (int step = 0; step < positions - 1; ++step) {
        const Held before = held;
        for (int to = 0; to < positions; ++to) {
            if (step >= bcast::ring_blocks(blocks[static_cast<std::size_t>(to)], positions, tuned)) continue;
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

/// Plays scatter and ring; returns the ring's transfers.
long long play(const bcast::Tree& scatter, bool tuned) {
    const int positions = scatter.size();
    Held held = after_scatter(scatter);
    const std::vector<int> blocks = bcast::blocks_held(scatter);
    int wrong = 0;  // counted, since there are millions
    for (int position = 0; position < positions; ++position) {
        const auto at = static_cast<std::size_t>(position);
        for (int block = 0; block < positions; ++block) {
            const bool holds = bcast::holds_block(position, blocks[at], positions, block);
            wrong += held[at][static_cast<std::size_t>(block)] == holds ? 0 : 1;
        }
    }
    EXPECT_EQ(wrong, 0);
    const long long transfers = play_ring(scatter, tuned, held);
    for (const std::vector<bool>& row : held) EXPECT_EQ(row, std::vector<bool>(row.size(), true));
    return transfers;
}

TEST(ScatterRing, GivesEverybodyEveryBlockInThePredictedNumberOfTransfers) {
    long long spared = 0;  // one-bits of all numbers below `positions`
    for (int positions = 1; positions <= 300; ++positions) {
        spared += std::popcount(static_cast<unsigned>(positions - 1));
        const bcast::Tree scatter = bcast::binomial_scatter(positions);
        for (const bool tuned : {false, true}) {
            const long long transfers = play(scatter, tuned);
            EXPECT_EQ(transfers, bcast::ring_transfers(scatter, tuned));
            EXPECT_EQ(transfers, static_cast<long long>(positions) * (positions - 1) - (tuned ? spared : 0));
        }
        if (HasFailure()) FAIL() << positions << " positions";
    }
}

TEST(ScatterRing, SparesWhatThePaperSays) {
    EXPECT_EQ(bcast::ring_transfers(bcast::binomial_scatter(8), false), 56);
    EXPECT_EQ(bcast::ring_transfers(bcast::binomial_scatter(8), true), 44);
    EXPECT_EQ(bcast::ring_transfers(bcast::binomial_scatter(10), false), 90);
    EXPECT_EQ(bcast::ring_transfers(bcast::binomial_scatter(10), true), 75);
}

TEST(ScatterRing, BySwitchesIsBinomialOnOneSwitch) {
    for (int machines = 1; machines <= 300; ++machines) {
        const Network network = testing::make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
        PlanRequest request;
        const Plan plan = make_plan(network, request);
        EXPECT_EQ(bcast::scatter_by_switches(plan.order, bcast::one_rank_each(plan.order)).children,
                  bcast::binomial_scatter(machines).children);
    }
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
        for (int to = distance; to < machines; to += 2 * distance) phase.emplace_back(to - distance, to);
        RC_ASSERT(free_of_contention(network, order, phase));
    }
}

/// A network and an order of some of its machines from any root; `begins` as scatter_by_switches takes it, with one to
/// six ranks on each machine.
struct Job {
    Network network;
    PlanRequest request;
    bcast::Order order;
    std::vector<int> begins;
};

Job random_job(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 1 + below(40);
    const auto shape = static_cast<testing::Shape>(below(static_cast<int>(testing::Shape::count)));
    Job job;
    job.network = testing::random_network(machines, 1 + below(20), shape, below(2) == 0, random);
    job.request.root = below(machines);
    for (int machine = 0; machine < machines; ++machine) {
        if (machine == job.request.root || below(3) > 0) job.request.machines.push_back(machine);
    }
    job.order = bcast::depth_first_order(layout_of(job.network), job.request.machines, job.request.root);
    const int most_ranks = 1 + below(6);
    job.begins.push_back(0);
    for (int i = 0; i < job.order.size(); ++i) job.begins.push_back(job.begins.back() + 1 + below(most_ranks));
    return job;
}

RC_GTEST_PROP(ScatterRing, BySwitchesReachesEverybodyAndSparesAllDepths, (std::uint32_t seed)) {
    const Job job = random_job(seed);
    const bcast::Tree scatter = bcast::scatter_by_switches(job.order, job.begins);
    const auto positions = static_cast<long long>(scatter.size());
    RC_ASSERT(positions == job.begins.back());
    const long long transfers = play(scatter, true);
    RC_ASSERT(!::testing::Test::HasFailure());
    RC_ASSERT(transfers == bcast::ring_transfers(scatter, true));
    RC_ASSERT(transfers == positions * (positions - 1) - depths(scatter));
}

RC_GTEST_PROP(ScatterRing, BySwitchesEveryMachineIsEnteredOnceAndNoTwoSendersMeet, (std::uint32_t seed)) {
    const Job job = random_job(seed);
    const bcast::Tree scatter = bcast::scatter_by_switches(job.order, job.begins);
    const auto machine_of = [&job](int position) {
        return static_cast<int>(std::upper_bound(job.begins.begin(), job.begins.end(), position) - job.begins.begin()) -
               1;
    };
    std::vector<int> entered(static_cast<std::size_t>(job.order.size()), 0);
    std::vector<std::vector<int>> between(static_cast<std::size_t>(job.order.size()));
    for (int to = 1; to < scatter.size(); ++to) {
        const int from = scatter.parent[static_cast<std::size_t>(to)];
        if (machine_of(from) == machine_of(to)) continue;
        ++entered[static_cast<std::size_t>(machine_of(to))];
        RC_ASSERT(job.begins[static_cast<std::size_t>(machine_of(from))] == from);
        between[static_cast<std::size_t>(machine_of(from))].push_back(machine_of(to));
    }
    RC_ASSERT(entered[0] == 0);
    RC_ASSERT(std::all_of(entered.begin() + 1, entered.end(), [](int count) { return count == 1; }));
    const std::vector<Transmissions> all{{1.0, machine_edges(job.order, bcast::tree_of_children(between))}};
    RC_ASSERT(prove_load(job.network, job.request.machines, job.request.root, all).contention_free);
}

RC_GTEST_PROP(ScatterRing, OneRankOnEachMachineAndEqualLinksMeanThePapersCount, (std::uint32_t seed)) {
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int machines = 1 + below(300);
    const auto shape = static_cast<testing::Shape>(below(static_cast<int>(testing::Shape::count)));
    PlanRequest request;
    request.tree = bcast::Algorithm::scatter_ring_tuned;
    request.root = below(machines);
    const Network network = testing::random_network(machines, 1 + below(100), shape, false, random);
    const Plan plan = make_plan(network, request);
    long long ones = 0;  // of all numbers below `machines`
    for (int position = 0; position < machines; ++position) ones += std::popcount(static_cast<unsigned>(position));
    RC_ASSERT(plan.ring_transfers == static_cast<long long>(machines) * (machines - 1) - ones);
}

RC_GTEST_PROP(ScatterRing, TheTunedOneHasTheCheaperScatter, (std::uint32_t seed)) {
    const Job job = random_job(seed);
    const bcast::Layout layout = layout_of(job.network);
    const bcast::Tree chosen = bcast::tuned_scatter(layout, job.order, job.begins);
    const auto cost = [&](const bcast::Tree& scatter) {
        return bcast::scatter_cost(layout, job.order, job.begins, scatter);
    };
    const std::int64_t least = std::min(cost(bcast::binomial_scatter(job.begins.back())),
                                        cost(bcast::scatter_by_switches(job.order, job.begins)));
    RC_ASSERT(cost(chosen) <= least + least / 31);
}

TEST(ScatterRing, MachinesOfManyRanksAreEnteredOnce) {
    const Network network = testing::make_network(1, {}, {0, 0});
    const bcast::Layout layout = layout_of(network);
    const bcast::Order order = bcast::depth_first_order(layout, {0, 1}, 0);
    const std::vector<int> begins{0, 24, 48};
    // Blocks out of the first machine: 24 and, round the ring, the 24 that the second does not get. The binomial one
    // sends 16 and 8 to two ranks of the second, the first of which lacks 40.
    EXPECT_EQ(bcast::scatter_cost(layout, order, begins, bcast::binomial_scatter(48)), 1024 * (24 + 40));
    EXPECT_EQ(bcast::scatter_cost(layout, order, begins, bcast::tuned_scatter(layout, order, begins)), 1024 * 48);
}

RC_GTEST_PROP(ScatterRing, PlansOfAnyRootAndSubsetAreProved, (std::uint32_t seed)) {
    Job job = random_job(seed);
    job.request.tree = seed % 2 == 0 ? bcast::Algorithm::scatter_ring : bcast::Algorithm::scatter_ring_tuned;
    const bool tuned = job.request.tree == bcast::Algorithm::scatter_ring_tuned;
    const Plan plan = make_plan(job.network, job.request);  // throws if two senders meet, or a block is missing
    const int positions = plan.order.size();
    RC_ASSERT(plan.contention_free);
    RC_ASSERT(plan.ring_transfers == bcast::ring_transfers(plan.trees.front().tree, tuned));
    // A machine receives its part of the scatter and then all blocks but its own, or but those it has: in all as many
    // blocks as there are, once.
    const std::vector<int> held = bcast::blocks_held(plan.trees.front().tree);
    for (int position = 1; position < positions; ++position) {
        const int machine = plan.order.machines[static_cast<std::size_t>(position)];
        const int scattered = held[static_cast<std::size_t>(position)];
        const double load = tuned ? 1 : static_cast<double>(scattered + positions - 1) / positions;
        RC_ASSERT(std::abs(plan.loads[static_cast<std::size_t>(port_in(machine))] - load) < 1e-9);
    }
    RC_ASSERT(plan.stage < 2);
}

TEST(ScatterRing, JsonCountsTransfersAndClosesTheRing) {
    const Network network = testing::make_network(1, {}, std::vector<int>(8, 0));
    for (const auto& [kind, transfers] :
         {std::pair{bcast::Algorithm::scatter_ring, 56}, {bcast::Algorithm::scatter_ring_tuned, 44}}) {
        PlanRequest request;
        request.tree = kind;
        const auto json = nlohmann::json::parse(plan_json(network, make_plan(network, request)));
        EXPECT_EQ(json["allgather_transfers"], transfers);
        EXPECT_EQ(json["tree"], bcast::tree_name_of(kind));
        EXPECT_EQ(json["trees"][0]["edges"].size(), 7U);
        ASSERT_EQ(json["ring"].size(), 8U);
        EXPECT_EQ(json["ring"][7][1], json["root"]);
    }
}

}  // namespace
}  // namespace bcastgen
