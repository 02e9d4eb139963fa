// Why a broadcast goes the way it goes, in words and a drawn tree.
#pragma once

#include <cstddef>
#include <string>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// A broadcast as someone asks about it.
struct AskedBroadcast {
    std::string root;      ///< machine; empty: the first that takes part
    std::string machines;  ///< hostlist; empty: all
    std::size_t bytes = 0;
    int ranks_per_machine = 1;
};

/// Which rule of the table applies and why, the tree with its height, stage and most loaded links, the predicted time
/// against T(m) and against the other algorithms, and what changes at the next message size. `measured`: the table
/// comes from a tuning file. Throws InputErrors for machines that there are not.
[[nodiscard]] std::string explain(const Network& network, const DecisionTable& table, bool measured,
                                  const AskedBroadcast& asked);

}  // namespace bcastgen
