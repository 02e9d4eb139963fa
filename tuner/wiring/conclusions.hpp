// From what was measured to what differs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/alone.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/verdict.hpp"

namespace bcastgen {

/// The ports and trunks that are not as described alone either, both directions of one in one finding. Changes
/// `network` accordingly; adds to `unclear` what is slow only beside others, and, if machines may hang elsewhere, what
/// seems fast. `or_elsewhere` says which may hang where; empty: none.
[[nodiscard]] std::vector<Finding> links_that_differ(Network& network, const Evidence& evidence,
                                                     const std::map<LinkId, Alone>& alone, const Yardstick& yardstick,
                                                     const std::string& or_elsewhere,
                                                     std::vector<std::string>& unclear);

/// A line for each trunk that has more than the streams could fill, if all is as described.
[[nodiscard]] std::vector<std::string> trunks_not_filled(const Network& network, const Evidence& evidence);

}  // namespace bcastgen
