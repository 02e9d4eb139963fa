// The fast contention-free trees: proved by the load checker, held against the paper's own algorithm.
#include "bcast/kary_tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include "load.hpp"
#include "paper_tree.hpp"
#include "plan.hpp"
#include "random_network.hpp"

namespace bcastgen {
namespace {

using testing::random_network;
using testing::Shape;

Transmissions transmissions(const bcast::Order& order, const bcast::Tree& tree) {
    Transmissions result;
    for (int parent = 0; parent < tree.size(); ++parent) {
        for (int child : tree.children[static_cast<std::size_t>(parent)]) {
            result.edges.emplace_back(order.machines[static_cast<std::size_t>(parent)],
                                      order.machines[static_cast<std::size_t>(child)]);
        }
    }
    return result;
}

std::vector<int> random_members(const Network& network, std::mt19937& random) {
    std::vector<int> members;
    for (int m = 0; m < static_cast<int>(network.machines.size()); ++m) members.push_back(m);
    if (random() % 2 == 0) return members;
    std::shuffle(members.begin(), members.end(), random);
    members.resize(1 + random() % members.size());
    return members;
}

void expect_contention_free(const Network& network, const bcast::Order& order, const bcast::Tree& tree, int radix) {
    const LoadProof proof = prove_load(network, order.machines, order.machines.front(), {transmissions(order, tree)});
    EXPECT_TRUE(proof.covers);
    EXPECT_TRUE(proof.contention_free);
    EXPECT_LE(fanout(tree), radix);
}

TEST(KaryTree, ContentionFreeAndNeverAboveThePapersAlgorithm) {
    std::mt19937 random(1);
    for (int round = 0; round < 1200; ++round) {
        const int machines = 1 + static_cast<int>(random() % 40);
        const int switches = 1 + static_cast<int>(random() % 24);
        const auto shape = static_cast<Shape>(random() % static_cast<unsigned>(Shape::count));
        const Network network = random_network(machines, switches, shape, random() % 3 == 0, random);
        const std::vector<int> members = random_members(network, random);
        const bcast::Order order = bcast::depth_first_order(layout_of(network), members, members.front());
        for (int radix : {2, 3, 4}) {
            SCOPED_TRACE(::testing::Message() << "round " << round << ", radix " << radix);
            const bcast::Tree tree = bcast::kary_tree(order, radix);
            expect_contention_free(network, order, tree, radix);
            if (radix > 2 && order.size() > (radix == 3 ? 30 : 18)) continue;  // the literal algorithm's own cost
            const bcast::Tree literal = paper_tree(network, order, radix);
            expect_contention_free(network, order, literal, radix);
            EXPECT_LE(height(tree), height(literal));
        }
    }
}

}  // namespace
}  // namespace bcastgen
