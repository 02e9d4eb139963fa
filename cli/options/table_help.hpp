// The rows of the tables of algorithms and clusters as --help shows them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bcast/facts/algorithm.hpp"

namespace bcastgen {

/// "a, b or c" of the names that `bcastgen plan --tree` knows.
[[nodiscard]] std::string tree_list();

/// The trees that `bcastgen plan --tree` knows, by name.
[[nodiscard]] std::map<std::string, bcast::Algorithm> trees_by_name();

/// A line for each tree that can be planned: its name and what it is for.
[[nodiscard]] std::string tree_lines();

/// The same for each of the emitted library's algorithms.
[[nodiscard]] std::string algorithm_lines();

/// The same for each opponent:NAME that bench can measure.
[[nodiscard]] std::string opponent_lines();

/// The same for each broadcast that an MPI has of its own.
[[nodiscard]] std::string own_lines();

/// "simulated, emulated (root only), … or slurm": the names that --on knows.
[[nodiscard]] std::string cluster_list();

/// A line for each kind of cluster: its name and what it is.
[[nodiscard]] std::string cluster_lines();

}  // namespace bcastgen
