// The MPIs' own launchers: mpiexec and its words.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

/// mpiexec.<mpi> as Debian calls it, or the mpiexec beside the MPI's compiler. Throws OutsideFailure if there is none.
[[nodiscard]] std::string mpi_launcher(const ClusterRequest& request);

/// The launcher's command line for a job: ranks, their environment, the program. `hosts` names the host of every
/// machine of the job; none: all ranks run where the launcher does.
[[nodiscard]] std::vector<std::string> launcher_words(const ClusterRequest& request, const std::string& launcher,
                                                      const Job& job, const std::map<int, std::string>& hosts);

/// Runs a launcher for a job, within the job's limits.
[[nodiscard]] JobOutcome run_launcher(std::vector<std::string> words, std::map<std::string, std::string> environment,
                                      const Job& job);

/// What Open MPI wants to be told before it works for root.
[[nodiscard]] std::map<std::string, std::string> root_environment();

}  // namespace bcastgen
