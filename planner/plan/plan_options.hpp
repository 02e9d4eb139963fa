// A plan request in words: what the command line says about trees, machines and roots.
#pragma once

#include <optional>
#include <string>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

struct PlanOptions {
    TreeKind tree = TreeKind::binary;
    Algorithm algorithm = Algorithm::fast;
    std::optional<int> radix;  ///< --radix; 3 unless given, and for k-ary trees only
    std::string root;          ///< --root, a machine's name; empty: the first of those that take part
    std::string machines;      ///< --machines, a hostlist; empty: all
};

/// Throws InputErrors with everything that is wrong, each under its option: unknown machines (with what was probably
/// meant) and repeated ones, a root that takes no part, a radix that makes no sense, too much for the paper's
/// algorithm.
[[nodiscard]] PlanRequest plan_request(const Network& network, const PlanOptions& options);

}  // namespace bcastgen
