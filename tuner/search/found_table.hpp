// The decision table that a tuning's verdicts come to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/measure/shape.hpp"
#include "tuner/search/validation.hpp"
#include "tuner/store/store.hpp"

namespace bcastgen {

/// What came of a shape. All verdicts are of the same trials.
struct ValidatedShape {
    Shape shape;
    /// Its rules are for so many machines and more: more than the next smaller shape, and more than half its own.
    int lowest = 2;
    std::vector<std::string> placements;         ///< by set of machines: its name
    std::vector<std::vector<Verdict>> verdicts;  ///< by set of machines
    std::string lowest_placement;
    std::vector<Verdict> lowest_verdicts;  ///< on `lowest` machines; none if the shape has no more
    /// The model's rules for messages above the last trial, which stand if that trial's choice is the model's too; else
    /// the choice stands for all of them.
    std::vector<MessageRule> predicted_above = {};
    bool ends_as_predicted = false;  ///< the search's choice for the last trial is the model's, or as cheap
};

struct FoundTable {
    std::vector<Rule> rules;
    std::vector<StoredValidation> validations;
    std::size_t unvalidated = 0;  ///< trials that are native because there was no time for them
    std::size_t foreseen = 0;     ///< trials that there was no time for either, and that stand as predicted
};

/// `shapes` by arrival, in each by growing machines, in these by growing ranks per machine. The last of each serves all
/// larger ones.
[[nodiscard]] FoundTable found_table(const std::vector<ValidatedShape>& shapes, double margin,
                                     const MayJoinAmong& may_join = {});

/// The same validations as a decision table tells of them.
[[nodiscard]] TableValidation validation_of(const std::vector<StoredValidation>& validations, double margin);

}  // namespace bcastgen
