// The library's algorithms as the planner knows them.
#pragma once

#include "bcast/facts/site.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// The planner's request that builds an algorithm's tree. Throws std::logic_error for one without a tree.
[[nodiscard]] PlanRequest request_of(bcast::Algorithm algorithm);

}  // namespace bcastgen
