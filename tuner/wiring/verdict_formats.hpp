// A verification's result, for people, for programs, and as a corrected topology file.
#pragma once

#include <string>

#include "planner/network/network.hpp"
#include "tuner/wiring/verdict.hpp"

namespace bcastgen {

/// One difference in one line: "port of n7 on s3: 10Mbit/s, not 100Mbit/s".
[[nodiscard]] std::string difference_text(const Network& described, const Finding& finding);

/// What was measured of it, in one line.
[[nodiscard]] std::string evidence_text(const Network& described, const Finding& finding);

/// The differences with what was measured, and the described switches with a mark where they differ.
[[nodiscard]] std::string verdict_text(const Network& described, const WiringVerdict& verdict);

/// Everything, as format bcastgen-verify/1 (docs/wiring.md).
[[nodiscard]] std::string verdict_json(const Network& described, const WiringVerdict& verdict);

/// The corrected network as a topology file, with a comment at each change.
[[nodiscard]] std::string corrected_topology(const Network& described, const WiringVerdict& verdict);

}  // namespace bcastgen
