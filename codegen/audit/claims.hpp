// What comments of an emitted file state of trees.
#pragma once

#include <vector>

#include "codegen/audit/expectation.hpp"
#include "codegen/audit/words.hpp"

namespace bcastgen {

/// Comments are free, except in the heights, fan-outs and stages that they state. Reports every such statement, in a
/// comment of any kind and however it is broken into lines, that is none of the `expected` comments', or stands below
/// what those say of another algorithm.
void compare_claims(const std::vector<CodeToken>& expected, const std::vector<CodeToken>& found,
                    const ReportFact& report);

}  // namespace bcastgen
