// A tree of a plan as pictures show it: in boxes, so few that they can be read.
//
// Few machines by name: those of one switch that hand the message on to one other each share a box, and so do a
// machine's children on one switch that send to nobody. Of many a box is what a tree has on one switch, or in one part
// of a large network; boxes below one that look alike, with all that is below them, are shown once. What is too far
// from the root to find a place is counted.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

struct ShownBox {
    enum class Kind {
        chain,   ///< machines, each sending to the next
        leaves,  ///< machines with the same parent that send to nobody
        part     ///< machines of one switch, or of it and those behind it
    };
    Kind kind = Kind::chain;
    std::vector<int> machines;
    std::size_t alike = 1;      ///< how many hang here that look like this; `machines` are those of all
    std::vector<int> switches;  ///< on which the machines are, or behind which; each once
    std::size_t left_out = 0;   ///< machines below these, or below each of those alike, that are not shown
    int above = -1;             ///< index of the box whose last machine sends to these; -1: the root's
    int group = 0;              ///< boxes of machines on one switch that hang together have the same
};

/// One of a plan's trees. Each box after the one above it; the root by itself first.
[[nodiscard]] std::vector<ShownBox> shown_boxes(const Network& network, const Plan& plan, std::size_t tree);

}  // namespace bcastgen
