// The shapes of communicators for which a table is made.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

/// How many machines, with how many ranks each, and how they enter a broadcast.
struct Shape {
    int machines = 2;
    int ranks_per_machine = 1;
    std::string arrival = "balanced";  ///< balanced, imbalanced
};

/// The machines that a count of machines stands for.
struct Placement {
    std::string name;           ///< near, spread
    std::vector<int> machines;  ///< of the network, in the sequence of the ranks, the root among them
};

/// The first `count` of `machines` (those that take part) in depth-first order from the root's switch: what batch
/// systems that know the wiring give to a job.
[[nodiscard]] Placement near_placement(const Network& network, const std::vector<int>& machines, int root, int count);

/// The first `count` by name, from the root on: what other batch systems give.
[[nodiscard]] Placement spread_placement(const Network& network, const std::vector<int>& machines, int root, int count);

/// The machines among which sends are measured: the root and others on its switch.
inline constexpr const char* send_times_placement = "switch";

/// 2, 3, 5, 8, then doubling, and all of them: each count stands for those between it and the one before.
[[nodiscard]] std::vector<int> usual_machine_counts(int machines);

/// How the ranks of a shape enter: `imbalanced`, all but the root at random within imbalanced_if T(m).
[[nodiscard]] ArrivalPattern arrival_pattern(const std::string& arrival);
inline constexpr double imbalanced_if = 8;

}  // namespace bcastgen
