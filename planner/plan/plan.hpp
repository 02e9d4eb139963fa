// A plan: the machine order, the trees over it, and the proof of what they load on every link.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

enum class Builder { fast, paper, best };  ///< how binary and k-ary trees are built; the others know one way

struct PlanRequest {
    bcast::Algorithm tree = bcast::usual::first_shown;  ///< one that has a plan (facts/algorithm.hpp)
    int radix = 0;  ///< most children, of trees of any radix; 0: the algorithm's own; in a plan what radix_of says
    Builder builder = Builder::fast;
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
    bcast::Order order;            ///< depth first; of blind algorithms the machines' natural order, rotated
    std::vector<ShareTree> trees;  ///< of scatter-ring: the scatter's, which hands on ever smaller parts
    long long ring_transfers = 0;  ///< of scatter-ring: blocks sent round the ring, 1/machines of the message each
    std::vector<double> loads;  ///< by LinkId: load of each directed link, recomputed from the edges (load_proof.hpp)
    bool routes_known = false;  ///< whether the loads are those along given routes
    bool contention_free = false;
    double stage = 0;
    int height_lower_bound = 0;
};

/// Plans and proves. Throws std::invalid_argument for a request that makes no sense (no such machine, a machine twice,
/// root not among the machines, a negative radix, an algorithm without a plan), TooLarge (paper_tree.hpp) when the
/// paper's algorithm would never end, and std::logic_error if the plan fails its own proof. With `routes` the loads are
/// those along them, and nothing is promised of them.
[[nodiscard]] Plan make_plan(const Network& network, const PlanRequest& request, const Routes* routes = nullptr);

/// The least height that any tree of the algorithm can have over so many machines, whatever the network. With at most
/// k children it is ceil(log_k(P(k-1)+1))-1, which is P-1 for 1 and floor(log2 P) for 2; with as many as there are
/// machines 1; where each holder halves floor(log2 P); and for the higher of two trees with two children in all
/// 1+floor(log2(P-1)), where all ports are equally fast. `radix`: as radix_of gives it.
[[nodiscard]] int height_lower_bound(bcast::Algorithm tree, int machines, int radix);

/// The most children that a tree of the algorithm may have over so many machines: `radix` itself for trees of any
/// radix, their own if it is 0.
[[nodiscard]] int radix_of(bcast::Algorithm tree, int machines, int radix);

/// The plan as text and pictures show it: of a broadcast in rounds the first of its trees alone.
[[nodiscard]] Plan as_shown(const Plan& plan);

[[nodiscard]] int fanout(const bcast::Tree& tree);  ///< most children of a position

/// True of trees with a limit of two children or more, which the builders differ in.
[[nodiscard]] bool is_kary(bcast::Algorithm tree);

/// What bcastgen plan shows of an algorithm unless told otherwise. Throws std::invalid_argument for one without a plan.
[[nodiscard]] PlanRequest request_of(bcast::Algorithm algorithm);

/// (sender, receiver) machines of a ring: each to the next of the order, the last to the root. None for one machine.
[[nodiscard]] std::vector<std::pair<int, int>> ring_edges(const bcast::Order& order);

/// (sender, receiver) machines, senders in the sequence of the order, each sender's receivers in sending order.
[[nodiscard]] std::vector<std::pair<int, int>> machine_edges(const bcast::Order& order, const bcast::Tree& tree);

/// Bytes that leave the root for each byte of the message.
[[nodiscard]] double root_sends(const Plan& plan);

[[nodiscard]] std::string_view name_of(Builder builder);

}  // namespace bcastgen
