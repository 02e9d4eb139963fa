// Files that say which machine each rank runs on, as launchers take them.
#pragma once

#include <string>
#include <string_view>

#include "planner/grid/grid.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// Reads the mapping of a grid's ranks:
///
///   n0            a host on each line, as SLURM_HOSTFILE and MPICH's host files have them: the first rank's first;
///   n1:2          n1:2, or Open MPI's n1 slots=2, are two ranks; hostlists (n[2-4]) are read, too. Hosts that are
///   n[2-4]        left over get nothing, as with the launchers.
///
///   rank 0=n0 slot=0      Open MPI's rankfile: a line for each rank, in any order
///
/// What stands after # is a comment, and after a host (slot=, binding=) left aside. A host is the machine of that name,
/// or of that name up to its first dot. Throws InputErrors with everything that is wrong: unknown machines, more than
/// `ranks_per_machine` on one, ranks that are missing, twice, or not in the grid.
[[nodiscard]] Mapping read_mapping(std::string_view text, const std::string& file, const Network& network,
                                   const Grid& grid, int ranks_per_machine);

}  // namespace bcastgen
