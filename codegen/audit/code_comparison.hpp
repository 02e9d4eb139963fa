// Compares code with the code that should be there.
#pragma once

#include <vector>

#include "codegen/audit/expectation.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// Reports the first difference of each file: C++ token by token, other files line by line without their comments.
/// Documentation may differ, and so may files that no compiler would find.
void compare_code(const std::vector<EmittedFile>& expected, const std::vector<EmittedFile>& found,
                  const ReportFact& report);

/// Comments may differ, except in what they state of a tree: reports each "height …, stage …" line that
/// is none of the expected ones.
void compare_claims(const EmittedFile& expected, const EmittedFile& found, const ReportFact& report);

}  // namespace bcastgen
