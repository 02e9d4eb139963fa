// Which of the site's machines this process runs on.
#pragma once

#include <string>
#include <vector>

#include "bcast/facts/machine_name.hpp"
#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

/// This process's machine: what BCASTGEN_MACHINES says of its rank in MPI_COMM_WORLD, or else the machine called as MPI
/// or Slurm call this host. MPI must be initialised; `world` says whether MPI_COMM_WORLD exists (not so in a program
/// that uses sessions only).
inline int own_machine(const Site& site, const Environment& environment, ReadVariable variable, bool world) {
    if (!environment.machines.empty()) {
        int rank = 0;
        if (!world || mpi.Comm_rank(mpi.comm_world, &rank) != MPI_SUCCESS) return unknown_machine;
        const auto at = static_cast<std::size_t>(rank);
        return at < environment.machines.size() ? find_machine_among(site, {environment.machines[at]})
                                                : unknown_machine;
    }
    std::vector<std::string> names;
    char processor[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    if (mpi.Get_processor_name(processor, &length) == MPI_SUCCESS) names.emplace_back(processor);
    if (const char* node = variable("SLURMD_NODENAME")) names.emplace_back(node);
    return find_machine_among(site, names);
}

/// What is wrong with BCASTGEN_MACHINES for a job of so many ranks; empty if nothing. 0 ranks: there is no
/// MPI_COMM_WORLD.
inline std::string complaint_of_machines(const Site& site, const std::vector<std::string>& machines, int ranks) {
    if (machines.empty()) return "";
    const std::string variable = "BCASTGEN_MACHINES ";
    if (ranks == 0) return variable + "needs MPI_COMM_WORLD, whose ranks play the machines";
    const auto number = [](std::size_t count, const char* one, const char* more) {
        return std::to_string(count) + " " + (count == 1 ? one : more);
    };
    const auto needed = static_cast<std::size_t>(ranks);
    for (std::size_t rank = 0; rank < machines.size() && rank < needed; ++rank) {
        if (find_machine_among(site, {machines[rank]}) == unknown_machine) {
            return variable + "has " + machines[rank] + " for rank " + std::to_string(rank) +
                   ", which is no machine of " + site.name;
        }
    }
    if (machines.size() >= needed) return "";
    return variable + "names " + number(machines.size(), "machine", "machines") + " for " +
           number(needed, "rank", "ranks") + "; it has one machine for each rank";
}

}  // namespace bcast
