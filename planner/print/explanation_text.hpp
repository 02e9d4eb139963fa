// An explanation in words and a drawn tree, and as JSON.
#pragma once

#include <string>

#include "planner/decision/explanation.hpp"

namespace bcastgen {

/// Which rule of the table applies and why, what changes at the next message size, the predicted time against T(m) and
/// against the other algorithms, and the tree with its height, stage and most loaded links. `measured`: the table comes
/// from a tuning file.
[[nodiscard]] std::string explanation_text(const Network& network, const DecisionTable& table, bool measured,
                                           const Explanation& explanation);

/// Format "bcastgen-explanation/1": the choice, T(m), the floor, and prices with where the time goes; times in
/// microseconds. What was simulated has its time and the price over it.
[[nodiscard]] std::string explanation_json(const Network& network, const Explanation& explanation);

}  // namespace bcastgen
