// Who else knows of the site's machines: batch systems, the MPI, a list by hand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/doctor/symptom.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// Machines that something other than the topology file names.
struct MachineList {
    std::string origin;  ///< "sinfo", "HYDRA_HOST_FILE=hosts"
    std::vector<std::string> names;
    bool of_all = false;  ///< of the whole cluster; else of a job, which takes a part of it
};

/// The lists that there are here: of Slurm, of the job that this runs in, of the MPIs' default host files, and `hosts`,
/// a hostlist or a file with a name on each line, if it is not empty. What could not be read is a symptom. Throws
/// InputErrors for `hosts`.
[[nodiscard]] std::vector<MachineList> machine_lists(const std::string& hosts, std::vector<Symptom>& symptoms);

/// A list against the file, both ways. Full host names and short ones match as they do in a job.
[[nodiscard]] std::vector<Symptom> compare_machines(const Network& network, const MachineList& list);

/// The network's machine that this host is; none if it is no machine of it.
[[nodiscard]] std::optional<std::string> machine_of_this_host(const Network& network);

/// Whether this host is one of the file's machines.
[[nodiscard]] Symptom look_for_this_host(const Network& network);

}  // namespace bcastgen
