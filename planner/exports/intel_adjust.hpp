// Intel MPI's variable for broadcasts.
#pragma once

#include "planner/exports/rank_rules.hpp"

namespace bcastgen {

/// I_MPI_ADJUST_BCAST=…, as a line for a shell. Rules of MPICH's and Open MPI's own broadcasts come to those of Intel's
/// that are the same by their names in its Developer Reference; the rest to its own choice.
[[nodiscard]] ExportedRules intel_adjust(const std::vector<RankRule>& rules);

}  // namespace bcastgen
