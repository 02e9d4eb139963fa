// What is chosen between sizes that were measured, where nobody had the time to measure more.
#pragma once

#include <vector>

#include "tuner/search/search.hpp"

namespace bcastgen {

/// Between neighbours that are further apart than `closest_sizes`, the smaller one's choice goes on for as long as it
/// is quicker by prices, and the model's own choice is taken where that beats both (`beats`): choices of no samples are
/// put in there. Otherwise the larger one's would stand for all sizes between, and it may have been made for a message
/// many times as large. The choices as they are where there are no prices.
[[nodiscard]] std::vector<SizeChoice> with_predictions_between(const std::vector<SizeChoice>& choices,
                                                               const SearchSettings& settings);

}  // namespace bcastgen
