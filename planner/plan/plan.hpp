// A plan: the machine order, the trees over it, and the proof of what they load on every link.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

enum class TreeKind { linear, binary, kary, two_tree, latency, flat, binomial, scatter_ring, scatter_ring_tuned };
enum class Algorithm { fast, paper, best };  ///< how binary and k-ary trees are built; the others know one way

struct PlanRequest {
    TreeKind tree = TreeKind::binary;
    int radix = 2;  ///< most children; read for k-ary trees, and in a plan what radix_of says
    Algorithm algorithm = Algorithm::fast;
    int root = 0;  ///< machine
    std::vector<int>
        machines;  ///< those that take part (empty: all), the root among them; in a plan sorted, never empty
};

/// A tree that carries `share` of the message. Positions are those of Plan::order.
struct ShareTree {
    double share = 1;
    bcast::Tree tree;
};

struct Plan {
    PlanRequest request;
    bcast::Order order;
    std::vector<ShareTree> trees;  ///< of scatter-ring: the scatter's, which hands on ever smaller parts
    long long ring_transfers = 0;  ///< of scatter-ring: blocks sent round the ring, 1/machines of the message each
    std::vector<double> loads;  ///< by LinkId: load of each directed link, recomputed from the edges (load_proof.hpp)
    bool routes_known = false;  ///< whether the loads are those along given routes
    bool contention_free = false;
    double stage = 0;
    int height_lower_bound = 0;
};

/// Plans and proves. Throws std::invalid_argument for a request that makes no sense (no such machine, a machine twice,
/// root not among the machines, radix < 1), TooLarge (paper_tree.hpp) when the paper's algorithm would never end, and
/// std::logic_error if the plan fails its own proof.
/// With `routes` the loads are those along them, and nothing is promised of them.
[[nodiscard]] Plan make_plan(const Network& network, const PlanRequest& request, const Routes* routes = nullptr);

/// The least height that any tree of that kind can have over so many machines, whatever the network: k-ary
/// ceil(log_k(P(k-1)+1))-1, which is floor(log2 P) for binary; linear P-1, flat, latency and
/// scatter-ring-tuned 1, binomial and scatter-ring floor(log2 P),
/// two-tree 1+floor(log2(P-1)) where all ports are equally fast.
[[nodiscard]] int height_lower_bound(TreeKind tree, int machines, int radix);

/// The most children that a tree of that kind may have: `radix` itself for k-ary trees.
[[nodiscard]] int radix_of(TreeKind tree, int machines, int radix);

[[nodiscard]] int fanout(const bcast::Tree& tree);  ///< most children of a position

/// True of the two kinds that scatter the message and gather it again round the ring of the order.
[[nodiscard]] bool is_ring(TreeKind tree);

/// (sender, receiver) machines of a ring: each to the next of the order, the last to the root. None for one machine.
[[nodiscard]] std::vector<std::pair<int, int>> ring_edges(const bcast::Order& order);

/// (sender, receiver) machines, senders in the sequence of the order, each sender's receivers in sending order.
[[nodiscard]] std::vector<std::pair<int, int>> machine_edges(const bcast::Order& order, const bcast::Tree& tree);

/// Bytes that leave the root for each byte of the message.
[[nodiscard]] double root_sends(const Plan& plan);

[[nodiscard]] std::string_view name_of(TreeKind tree);
[[nodiscard]] std::string_view name_of(Algorithm algorithm);

}  // namespace bcastgen
