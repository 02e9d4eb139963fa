// A tree as it is drawn: machines that hand the message on to one other each are one strand.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/trees/tree.hpp"

namespace bcastgen {

/// Positions of an order, each the only child of the one before, all in one place.
struct Strand {
    std::vector<int> positions;
    std::vector<std::size_t> below;  ///< strands of the last position's children
    int machines_below = 0;
    int height_below = 0;  ///< edges from the last position down to the deepest
};

/// The strands of a tree in breadth-first order, the root's first: one's index is above that of the one that it hangs
/// on. `place`: by position, where it is drawn (its switch). Two or three positions with something below them are
/// strands of their own, so that who hangs below whom shows; longer ones are not worth so many lines.
[[nodiscard]] std::vector<Strand> strands_of(const bcast::Tree& tree, const std::vector<int>& place);

}  // namespace bcastgen
