// Machines that hang elsewhere than described, where round trips do not tell: which change of places explains the
// rates.
//
// A machine on another switch, or two in each other's place, load trunks otherwise in every round, so that some streams
// are slower than described and others faster. No slow or fast link explains the same. Each such change predicts every
// rate that was measured; the one whose predictions are nearest is believed if it is clearly nearer than all others, in
// rounds that are chosen to tell them apart too.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

struct Rearrangement {
    std::vector<std::pair<int, int>> moves;  ///< machine, switch; none: all are where they are described
    Capacities capacities;                   ///< of links, as the evidence has them then
    double off = 0;                          ///< how far rates are from what this predicts (far_off())
};

/// The network with machines where this has them.
[[nodiscard]] Network rearranged(Network network, const Rearrangement& by);

/// What may explain the evidence, the best first: nothing moved, one machine on another switch, or two in each other's
/// place. Nothing moved alone where that explains all of it. Some seconds for 1,000 machines.
[[nodiscard]] std::vector<Rearrangement> likely_rearrangements(const Network& network, const Evidence& evidence,
                                                               const Yardstick& yardstick);

/// Whether, of the streams that should go at another rate by `one` than by `other`, most go as by `one`.
[[nodiscard]] bool is_clearly_nearer(const Network& network, const Evidence& evidence, const Yardstick& yardstick,
                                     const Rearrangement& one, const Rearrangement& other);

/// Rounds in which the first of them brings other rates than the others do.
[[nodiscard]] std::vector<Round> telling_rounds(const Network& network, const std::vector<int>& machines,
                                                const std::vector<Rearrangement>& likely, std::mt19937& random);

}  // namespace bcastgen
