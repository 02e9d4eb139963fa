// The table of algorithms: what its rows must agree on.
#include "bcast/facts/algorithm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "bcast/facts/decision.hpp"
#include "bcast/facts/tree_builders.hpp"

namespace bcast {
namespace {

TEST(AlgorithmTable, NamesAreUniqueAndReadBack) {
    std::set<std::string> names;
    std::set<std::string> trees;
    for (const AlgorithmRow& row : algorithm_rows) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_TRUE(*row.tree == '\0' || trees.insert(row.tree).second) << row.tree;
        EXPECT_EQ(parse_algorithm(name_of(row.algorithm)), row.algorithm);
        EXPECT_EQ(&row_of(row.algorithm), &row) << row.name;
    }
    EXPECT_EQ(names.size(), algorithm_count);
    for (const char* stranger : {"", "kary", "Linear", "linear ", "tuned", "pingpong"}) {
        EXPECT_FALSE(parse_algorithm(stranger)) << stranger;
    }
}

// Libraries compare settings by these numbers, and emitted tables are written with these names.
TEST(AlgorithmTable, KnownAlgorithmsKeepTheirPlaces) {
    std::string names;
    for (const AlgorithmRow& row : algorithm_rows) names += (names.empty() ? "" : " ") + std::string(row.name);
    const std::string known =
        "native flat binomial linear binary kary3 two-tree latency scatter-ring scatter-ring-tuned arrival-b "
        "arrival-nb arrival-live multicast double-binary circulant";
    EXPECT_EQ(names.substr(0, known.size()), known);
}

TEST(AlgorithmTable, RowsSayOneThing) {
    for (const AlgorithmRow& row : algorithm_rows) {
        SCOPED_TRACE(row.name);
        const Algorithm algorithm = row.algorithm;
        const bool planned = uses_trees(algorithm) || scatters(algorithm) || goes_in_rounds(algorithm);
        EXPECT_EQ(has_plan(algorithm), planned);
        EXPECT_EQ(row.trees != 0, planned);
        EXPECT_EQ(is_native(algorithm) + uses_trees(algorithm) + scatters(algorithm) + goes_in_rounds(algorithm) +
                      is_arrival_aware(algorithm) + is_multicast(algorithm),
                  1);
        EXPECT_EQ(usual_segment_bytes(algorithm) != 0, pipelines(algorithm));
        EXPECT_TRUE(takes_segments(algorithm) || !pipelines(algorithm));
        EXPECT_EQ(has(algorithm, trait::needs_datagrams), is_multicast(algorithm));
        EXPECT_TRUE(!has(algorithm, trait::skips_held) || scatters(algorithm));
        EXPECT_TRUE(!has(algorithm, trait::baked) || (uses_trees(algorithm) && row.trees == 1));
        EXPECT_TRUE(!has(algorithm, trait::blind) || !has(algorithm, trait::contention_free));
        EXPECT_TRUE(!is_predicted(algorithm) || !has(algorithm, trait::only_if_asked));
        EXPECT_GT(std::strlen(row.purpose), 10U);
        EXPECT_LE(std::strlen(row.purpose), 90U) << "one line of --help";
    }
    EXPECT_EQ(std::count_if(std::begin(algorithm_rows), std::end(algorithm_rows),
                            [](const AlgorithmRow& row) { return is_native(row.algorithm); }),
              1);
}

TEST(AlgorithmTable, WhatStandsInFitsItsPlace) {
    EXPECT_TRUE(is_native(usual::no_rule));
    EXPECT_TRUE(uses_trees(usual::small_messages) && usual_segment_bytes(usual::small_messages) == 0);
    EXPECT_TRUE(streams(usual::large_messages));
    EXPECT_TRUE(streams(usual::chain) && row_of(usual::chain).children == 1);
    EXPECT_TRUE(uses_trees(usual::whole_messages) && !pipelines(usual::whole_messages));
    EXPECT_TRUE(is_arrival_aware(usual::late_ranks));
    EXPECT_TRUE(is_multicast(usual::datagrams));
    EXPECT_TRUE(has_plan(usual::first_shown));
}

int log2_up(int machines) {
    int log2 = 0;
    while ((1 << log2) < machines) ++log2;
    return log2;
}

// Every algorithm with a plan has a builder, which builds as many trees over all machines as the row says.
TEST(AlgorithmTable, BuildersKeepWhatRowsPromise) {
    for (int machines = 1; machines <= 33; ++machines) {
        Layout layout;
        layout.neighbours.resize(1);
        layout.machine_switch.assign(static_cast<std::size_t>(machines), 0);
        std::vector<int> all;
        for (int machine = 0; machine < machines; ++machine) all.push_back(machine);
        const Order order = depth_first_order(layout, all, 0);
        for (const AlgorithmRow& row : algorithm_rows) {
            const std::vector<Tree> trees = build_trees(row.algorithm, {layout, order, row.children, 256});
            ASSERT_EQ(static_cast<int>(trees.size()), row.trees == halving ? std::max(1, log2_up(machines)) : row.trees)
                << row.name;
            for (const Tree& tree : trees) {
                ASSERT_EQ(tree.size(), machines) << row.name;
                for (const std::vector<int>& children : tree.children) {
                    const auto count = static_cast<int>(children.size());
                    ASSERT_TRUE(row.children <= 0 || count <= row.children) << row.name << ", " << machines;
                }
            }
        }
    }
}

}  // namespace
}  // namespace bcast
