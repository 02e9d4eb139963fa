// Which of the site's machines this process runs on.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

inline constexpr int unknown_machine = -1;

/// The number of the machine with exactly this name.
inline int find_machine(const Site& site, const std::string& name) {
    const NamedMachine* found =
        std::lower_bound(site.machine_names.begin(), site.machine_names.end(), name.c_str(),
                         [](const NamedMachine& entry, const char* text) { return std::strcmp(entry.name, text) < 0; });
    return found != site.machine_names.end() && name == found->name ? found->machine : unknown_machine;
}

/// The machine a host of these names is, each tried whole and then up to its first dot.
inline int find_machine_among(const Site& site, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const int machine = find_machine(site, name);
        if (machine != unknown_machine) return machine;
    }
    for (const std::string& name : names) {
        const int machine = find_machine(site, name.substr(0, name.find('.')));
        if (machine != unknown_machine) return machine;
    }
    return unknown_machine;
}

/// This process's machine: what BCASTGEN_MACHINES says of its rank in MPI_COMM_WORLD, or else the machine called as MPI
/// or Slurm call this host. MPI must be initialised; `world` says whether MPI_COMM_WORLD exists (not so in a program
/// that uses sessions only).
inline int own_machine(const Site& site, const Environment& environment, ReadVariable variable, bool world) {
    if (!environment.machines.empty()) {
        int rank = 0;
        if (!world || mpi.Comm_rank(mpi.comm_world, &rank) != MPI_SUCCESS) return unknown_machine;
        const auto at = static_cast<std::size_t>(rank);
        return at < environment.machines.size() ? find_machine(site, environment.machines[at]) : unknown_machine;
    }
    std::vector<std::string> names;
    char processor[MPI_MAX_PROCESSOR_NAME + 1] = {};
    int length = 0;
    if (mpi.Get_processor_name(processor, &length) == MPI_SUCCESS) names.emplace_back(processor);
    if (const char* node = variable("SLURMD_NODENAME")) names.emplace_back(node);
    return find_machine_among(site, names);
}

}  // namespace bcast
