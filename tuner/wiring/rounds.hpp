// Which streams tell what.
//
// In depth-first order every position sends to the k-th after it, cyclically, all at once. Over a trunk with s of n
// machines below it then go exactly min(k, s, n - s) streams each way:
//
//     s0: a b      k = 1    a>b>c>d>e>f>a       one stream into {c d}, one out of it
//     s1: c d      k = 2    a>c>e>a b>d>f>b     two
//     s2: e f      k = 3    a>d>a b>e>b c>f>c   still two: there are no more machines
//
// so k = 1 shows ports, k = w fills trunks w ports wide, and k = w + 1 shows those that are wider than that.
#pragma once

#include <random>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/wiring/fair_rates.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

/// The machines in depth-first order of the switch tree, those of a switch in random sequence.
[[nodiscard]] std::vector<int> shuffled_order(const Network& network, const std::vector<int>& machines,
                                              std::mt19937& random);

/// Every machine of `order` sends to the k-th after it.
[[nodiscard]] Round shift_round(const std::vector<int>& order, int k);

/// Neighbours in `order`, in pairs: 0-1, 2-3, … ; from 1 on: 1-2, 3-4, …
[[nodiscard]] Round neighbour_round(const std::vector<int>& order, int first, Asked asked);

/// Round trips between the first half of `order` and the second.
[[nodiscard]] Round opposite_round(const std::vector<int>& order);

/// The first rounds of a verification, about ten whatever the size: round trips of neighbours and streams from one to
/// the other, then shifts for the widths that trunks have, machines changing places each time.
[[nodiscard]] std::vector<Round> first_rounds(const Network& network, const std::vector<int>& machines,
                                              std::mt19937& random);

/// Streams across one trunk from the side of its end `a` (or to it), machine by machine from those near the trunk, as
/// many as fill it one and a half times, if there are enough machines. `busy` machines stay out of it. No streams if
/// there is nobody on one side.
[[nodiscard]] Round filling_round(const Network& network, const std::vector<int>& machines, int trunk, bool from_a,
                                  const std::vector<int>& busy);

/// One machine sends to as many others as their ports need to fill its own one and a half times, or takes from them.
/// Those that are not `busy` first.
[[nodiscard]] Round spread_round(const Network& network, const std::vector<int>& machines, int machine, bool sends,
                                 const std::vector<int>& busy, const Capacities& capacities);

/// Which machines send across a trunk first: of the fastest those near it, or the fastest of all switches in turn.
/// Whether other links hold streams back depends on that.
enum class CrossingOrder { near_first, in_turn };

/// Streams across one trunk, as many as there are machines for.
[[nodiscard]] Round crossing_round(const Network& network, const std::vector<int>& machines, int trunk, bool from_a,
                                   CrossingOrder sequence);

/// Whether each machine is on the side of the trunk's end `a`.
[[nodiscard]] std::vector<char> side_of_a(const Network& network, int trunk);

/// The speed that most ports have.
[[nodiscard]] double usual_port_Bps(const Network& network, const std::vector<int>& machines);

}  // namespace bcastgen
