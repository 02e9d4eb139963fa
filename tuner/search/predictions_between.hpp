// What is chosen between sizes that were measured, where nobody had the time to measure more.
#pragma once

#include <vector>

#include "tuner/search/search.hpp"

namespace bcastgen {

/// Between neighbours that are further apart than `closest_sizes` the smaller one's choice goes on for as long as it is
/// quicker by prices. Between all of them the model's own choice is taken where that beats both (`beats`), or where the
/// model was right or nearly so about both; in that case unless one of theirs is quicker by prices that are off as they
/// were at these sizes, and elsewhere if it is quicker than theirs by such prices. Otherwise the larger one's would
/// stand for all sizes between, and it may have been made for a message many times as large. All are in the segments
/// that are cheapest, or in those of the choice before where these are as good. Where a rule for fewer messages is
/// quicker (`may_join`) there are several that make the same choice, and at a measured size the model's choice stands
/// if such a rule makes it quicker than what was found to be best there: by what `sampler` has of both, as prices say
/// that it changes with the rule, or by prices alone where the model's choice was not measured. Choices that were not
/// are put in without samples. The choices as they are where there are no prices.
[[nodiscard]] std::vector<SizeChoice> with_predictions_between(const std::vector<SizeChoice>& choices,
                                                               const SearchSettings& settings, const Sampler& sampler);

}  // namespace bcastgen
