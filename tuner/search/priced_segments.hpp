// In which segments a case is cheapest by prices.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/search/search.hpp"

namespace bcastgen {

/// The case in whichever of these segments is the cheapest by a rule for messages above so many bytes; as it is where
/// none is `gain` times as cheap, or it has no price.
[[nodiscard]] MeasureCase cheapest_of(const MeasureCase& one, const std::vector<std::size_t>& segments, double gain,
                                      const SearchSettings& settings, RuleBegin above);

/// The same in half to twice its own segments, where they are so few that another size makes a difference, and gains
/// more than prices are off: predicted tables have segments that double.
[[nodiscard]] MeasureCase in_cheapest_segments(const MeasureCase& one, const SearchSettings& settings, RuleBegin above);

}  // namespace bcastgen
