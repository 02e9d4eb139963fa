// A plan: the machine order, the trees over it, and the proof of what they load on every link.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bcast/order.hpp"
#include "bcast/tree.hpp"
#include "network.hpp"

namespace bcastgen {

enum class TreeKind { linear, binary, kary, flat, binomial };
enum class Algorithm { fast, paper };

struct PlanRequest {
    TreeKind tree = TreeKind::binary;
    int radix = 2;  ///< most children of a k-ary tree
    Algorithm algorithm = Algorithm::fast;
    int root = 0;               ///< machine
    std::vector<int> machines;  ///< those that take part; empty: all. The root is always one of them.
};

/// A tree that carries `share` of the message. Positions are those of Plan::order.
struct ShareTree {
    double share = 1;
    bcast::Tree tree;
};

struct Plan {
    PlanRequest request;
    bcast::Order order;
    std::vector<ShareTree> trees;
    std::vector<double> loads;  ///< by LinkId: load of each directed link, recomputed from the edges (load.hpp)
    bool contention_free = false;
    double stage = 0;
    int height_lower_bound = 0;
};

/// Plans and proves. Throws std::invalid_argument for a request that makes no sense (root not a machine, radix < 1).
[[nodiscard]] Plan make_plan(const Network& network, const PlanRequest& request);

[[nodiscard]] int height(const bcast::Tree& tree);  ///< edges on the longest root-to-leaf path
[[nodiscard]] int fanout(const bcast::Tree& tree);  ///< most children of a position

[[nodiscard]] std::string_view name_of(TreeKind tree);
[[nodiscard]] std::string_view name_of(Algorithm algorithm);

}  // namespace bcastgen
