// A plan request in words: what the command line says about trees, machines and roots.
#pragma once

#include <optional>
#include <string>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

struct PlanOptions {
    bcast::Algorithm tree = bcast::usual::first_shown;
    Builder builder = Builder::fast;
    std::optional<int> radix;  ///< --radix, of trees of any radix only; unless given the algorithm's own
    std::string root;          ///< --root, a machine's name; empty: the first of those that take part
    std::string machines;      ///< --machines, a hostlist; empty: all
};

/// Throws InputErrors with everything that is wrong, each under its option: unknown machines (with what was probably
/// meant) and repeated ones, a root that takes no part, a radix that makes no sense, too much for the paper's
/// algorithm.
[[nodiscard]] PlanRequest plan_request(const Network& network, const PlanOptions& options);

}  // namespace bcastgen
