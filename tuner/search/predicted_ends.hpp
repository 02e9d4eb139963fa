// Where a choice ends for which nobody had the time to measure that.
#pragma once

#include <vector>

#include "tuner/search/search.hpp"

namespace bcastgen {

/// Between neighbours that choose differently and are further apart than `closest_sizes`, the smaller one's choice goes
/// on for as long as it is quicker by prices: a choice of no samples is put in there. Otherwise the larger one's would
/// stand for all sizes between, and it may have been made for a message many times as large. The choices as they are
/// where there are no prices.
[[nodiscard]] std::vector<SizeChoice> with_predicted_ends(const std::vector<SizeChoice>& choices,
                                                          const SearchSettings& settings);

}  // namespace bcastgen
