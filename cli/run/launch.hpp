// How a program that somebody starts as usual comes to have the library.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// The MPI that a command runs with: "mpich" (or one of its family) or "openmpi". By what its first word, if that is a
/// launcher of theirs, says of itself; else by BCASTGEN_MPI, as the modulefile has it; else the only one that this host
/// has a compiler of. Throws InputErrors if none of these tells.
[[nodiscard]] std::string mpi_of_command(const std::vector<std::string>& command);

/// The hostlist of BCASTGEN_MACHINES for a command whose ranks are to play the machines of a network on this host: its
/// first machines, one for each rank that -n asks for (in blocks if there are more ranks). Empty if they need not: this
/// host is one of the machines, or the command, the environment or a batch system says where ranks run.
[[nodiscard]] std::string played_machines(const Network& network, const std::vector<std::string>& command);

/// The command under `environment`, which Open MPI's launcher is told to pass on to all ranks.
[[nodiscard]] std::vector<std::string> under(const std::map<std::string, std::string>& environment,
                                             const std::string& mpi, const std::vector<std::string>& command);

}  // namespace bcastgen
