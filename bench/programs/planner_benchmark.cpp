// Planning: time against size, and heights against the literal algorithm and the lower bound. Figures in
// docs/algorithms.md; each says which filter it was made with:
//
//   build/planner_benchmark --benchmark_filter=FastTree      one tree from an order: what a running job pays at set-up
//   build/planner_benchmark --benchmark_filter=Plan          order, tree and load proof
//   build/planner_benchmark --benchmark_filter=BestTree      the tree with the order chosen too
//   build/planner_benchmark --benchmark_filter=PaperTree     the literal Algorithm 2
//   build/planner_benchmark --benchmark_filter=TwoTree       the two-tree
//   build/planner_benchmark --benchmark_filter=LatencyTree   the latency tree
//   build/planner_benchmark --benchmark_filter=Heights       mean heights over 20 random topologies a size
//   build/planner_benchmark --benchmark_filter=ChainTwoTree  the two-tree on chains of switches
//   build/planner_benchmark --benchmark_filter=NeverAbove    fast against literal, all shapes, up to 200 machines
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "bcast/trees/kary_tree.hpp"
#include "bcast/trees/latency_tree.hpp"
#include "bcast/trees/two_tree.hpp"
#include "planner/plan/plan.hpp"
#include "planner/trees/best_tree.hpp"
#include "planner/trees/paper_tree.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::random_network;
using testing::Shape;

Network network_of(std::int64_t machines, std::int64_t machines_per_switch, unsigned seed) {
    std::mt19937 random(seed);
    const auto switches = static_cast<int>(std::max<std::int64_t>(machines / machines_per_switch, 1));
    return random_network(static_cast<int>(machines), switches, Shape::random_links, false, random);
}

bcast::Order order_of(const Network& network, int root) {
    std::vector<int> members(network.machines.size());
    std::iota(members.begin(), members.end(), 0);
    return bcast::depth_first_order(layout_of(network), members, root);
}

/// Machines, machines per switch: 8 and 16 as in the paper's simulation; 32 machines on 4 switches as its clusters.
void sizes(benchmark::internal::Benchmark* benchmark) {
    benchmark->ArgNames({"machines", "per_switch", "radix"});
    for (int radix : {2, 3}) {
        for (int machines : {32, 128, 1024, 10'000, 20'000, 100'000}) benchmark->Args({machines, 8, radix});
    }
    benchmark->Args({1024, 16, 2})->Args({100'000, 20, 2});
}

// NOLINTBEGIN(readability-identifier-naming): functions have the names that benchmarks are asked for by
void FastTree(benchmark::State& state) {
    const bcast::Order order = order_of(network_of(state.range(0), state.range(1), 1), 0);
    bcast::Tree tree;
    for (auto _ : state) tree = bcast::kary_tree(order, static_cast<int>(state.range(2)));
    state.counters["height"] = height_of(tree);
}
BENCHMARK(FastTree)->Apply(sizes)->Unit(benchmark::kMicrosecond);

void TwoTree(benchmark::State& state) {
    const bcast::Order order = order_of(network_of(state.range(0), 8, 1), 0);
    std::array<bcast::Tree, 2> trees;
    for (auto _ : state) trees = bcast::two_tree(order);
    state.counters["height"] = std::max(height_of(trees[0]), height_of(trees[1]));
}
BENCHMARK(TwoTree)
    ->ArgName("machines")
    ->Arg(32)
    ->Arg(128)
    ->Arg(1024)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

void ChainTwoTree(benchmark::State& state) {
    std::mt19937 random(1);  // of which nothing depends
    const auto switches = static_cast<int>(state.range(0));
    const auto machines = static_cast<int>(state.range(0) * state.range(1));
    const Network network = random_network(machines, switches, Shape::chain, true, random);
    const bcast::Order order = order_of(network, static_cast<int>(state.range(2)));  // machine i on switch i
    std::array<bcast::Tree, 2> trees;
    for (auto _ : state) trees = bcast::two_tree(order);
    state.counters["height"] = std::max(height_of(trees[0]), height_of(trees[1]));
}
BENCHMARK(ChainTwoTree)
    ->ArgNames({"switches", "per_switch", "root_on"})
    ->ArgsProduct({{40}, {1, 2, 4}, {0, 1, 20}})
    ->ArgsProduct({{100}, {1, 2, 4}, {0, 1, 50}})
    ->ArgsProduct({{200}, {1, 2, 4}, {0, 1, 100}})
    ->ArgsProduct({{1000}, {1, 2, 4}, {0, 1, 500}})
    ->Unit(benchmark::kMicrosecond);

void LatencyTree(benchmark::State& state) {
    const Network network = network_of(state.range(0), 8, 1);
    const bcast::Layout layout = layout_of(network);
    const bcast::Order order = order_of(network, 0);
    bcast::Tree tree;
    for (auto _ : state) tree = bcast::latency_tree(layout, order, 256);
    state.counters["height"] = height_of(tree);
}
BENCHMARK(LatencyTree)
    ->ArgName("machines")
    ->Arg(32)
    ->Arg(128)
    ->Arg(1024)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMicrosecond);

void PlanAndProve(benchmark::State& state) {
    const Network network = network_of(state.range(0), state.range(1), 1);
    PlanRequest request;
    request.tree = bcast::Algorithm::kary3;
    request.radix = static_cast<int>(state.range(2));
    for (auto _ : state) benchmark::DoNotOptimize(make_plan(network, request));
}
BENCHMARK(PlanAndProve)->Apply(sizes)->Unit(benchmark::kMillisecond);

void BestTree(benchmark::State& state) {
    const Network network = network_of(state.range(0), 8, 1);
    const bcast::Order order = order_of(network, 0);
    bcast::Tree tree;
    for (auto _ : state) tree = best_tree(layout_of(network), order.machines, 0, 2).tree;
    state.counters["height"] = height_of(tree);
}
BENCHMARK(BestTree)
    ->ArgName("machines")
    ->Arg(32)
    ->Arg(128)
    ->Arg(1024)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);

void PaperTree(benchmark::State& state) {
    const Network network = network_of(state.range(0), 8, 1);
    const bcast::Order order = order_of(network, 0);
    bcast::Tree tree;
    for (auto _ : state) tree = paper_tree(network, order, 2);
    state.counters["height"] = height_of(tree);
}
BENCHMARK(PaperTree)->ArgName("machines")->RangeMultiplier(2)->Range(32, 1024)->Unit(benchmark::kMillisecond);

void Heights(benchmark::State& state) {
    constexpr int topologies = 20;
    const auto machines = static_cast<int>(state.range(0));
    double fast = 0;
    double literal = 0;
    double best = 0;
    double two_tree = 0;
    for (auto _ : state) {
        for (unsigned seed = 1; seed <= topologies; ++seed) {
            const Network network = network_of(machines, state.range(1), seed);
            const bcast::Order order = order_of(network, 0);
            fast += height_of(bcast::kary_tree(order, 2));
            best += height_of(best_tree(layout_of(network), order.machines, 0, 2).tree);
            const std::array<bcast::Tree, 2> pair = bcast::two_tree(order);
            two_tree += std::max(height_of(pair[0]), height_of(pair[1]));
            if (machines <= 1024) literal += height_of(paper_tree(network, order, 2));
        }
    }
    state.counters["fast"] = fast / topologies;
    state.counters["best"] = best / topologies;
    state.counters["literal"] = literal / topologies;
    state.counters["two_tree"] = two_tree / topologies;
    state.counters["two_tree_bound"] = height_lower_bound(bcast::Algorithm::two_tree, machines, 2);
    state.counters["bound"] = height_lower_bound(bcast::Algorithm::binary, machines, 2);
}
BENCHMARK(Heights)
    ->ArgNames({"machines", "per_switch"})
    ->ArgsProduct({{32, 64, 128, 256, 512, 1024, 10'000, 100'000}, {8, 16}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void NeverAbove(benchmark::State& state) {
    std::mt19937 random(static_cast<unsigned>(state.range(0)));
    double pairs = 0;
    double lower = 0;
    for (auto _ : state) {
        const int machines = 100 + static_cast<int>(random() % 101);
        const int switches = 1 + static_cast<int>(random() % 200);
        const auto shape = static_cast<Shape>(random() % static_cast<unsigned>(Shape::count));
        const Network network = random_network(machines, switches, shape, random() % 3 == 0, random);
        const bcast::Order order = order_of(network, static_cast<int>(random() % static_cast<unsigned>(machines)));
        const int fast = height_of(bcast::kary_tree(order, 2));
        const int literal = height_of(paper_tree(network, order, 2));
        if (fast > literal) state.SkipWithError("the fast tree is higher than the literal one");
        pairs += 1;
        lower += fast < literal ? 1 : 0;
    }
    state.counters["pairs"] = pairs;
    state.counters["strictly_lower"] = lower;
}
BENCHMARK(NeverAbove)->ArgName("seed")->DenseRange(1, 4)->Iterations(250)->Unit(benchmark::kMillisecond);
// NOLINTEND(readability-identifier-naming)

}  // namespace
}  // namespace bcastgen
