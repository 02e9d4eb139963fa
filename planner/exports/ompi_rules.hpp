// Rules files of Open MPI's coll/tuned.
#pragma once

#include "planner/exports/rank_rules.hpp"

namespace bcastgen {

/// The form that Open MPI 4, 5 and 6 read: numbers, and comments behind #.
[[nodiscard]] ExportedRules ompi_classic_rules(const std::vector<RankRule>& rules, const RulesOrigin& origin);

/// The form that Open MPI 6 reads as well.
[[nodiscard]] ExportedRules ompi_json_rules(const std::vector<RankRule>& rules);

}  // namespace bcastgen
