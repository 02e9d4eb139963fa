// Random changes to an emitted library: such that matter, and such that do not.
#pragma once

#include <random>
#include <string>

#include "tests/codegen/audit/sample.hpp"

namespace bcastgen::testing {

/// What was done, for messages; empty if nothing came of it, which happens where the place does not allow it.
using Change = std::string;

/// Makes the library something else: a token, word, line, byte or file of it differs.
Change change_meaning(const SampleDirectory& library, std::mt19937& random);

/// Changes comments, layout, line ends or what lies beside the library.
Change change_nothing(const SampleDirectory& library, std::mt19937& random);

/// `count` times by hand, `draw` times in a test run: the variable BCASTGEN_CHANGES says how often.
int number_of_changes(int draw);

}  // namespace bcastgen::testing
