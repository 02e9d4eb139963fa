// Machines of a Slurm cluster: those of the allocation that we run in, or else of jobs that we submit.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/clusters/cluster.hpp"
#include "tuner/clusters/slurm_script.hpp"

namespace bcastgen {

/// `hosts` maps machines to the nodes of the allocation that we run in; none: every run is a job of its own, on nodes
/// called as the machines are. Ranks are started by srun under MPICH, by Open MPI's own mpiexec under Open MPI.
[[nodiscard]] std::unique_ptr<Cluster> make_slurm_cluster(ClusterRequest request, std::map<int, std::string> hosts);

/// The nodes of the Slurm allocation that we run in; none outside one.
[[nodiscard]] std::vector<std::string> allocated_hosts();

/// Submits a job and follows it to its end: `on_line` gets its stdout, `on_news` what becomes of it. Returns its
/// result. Throws OutsideFailure if Slurm does not take it.
int run_as_batch_job(const BatchJob& job, const std::function<void(std::string_view)>& on_line,
                     const std::function<void(const std::string&)>& on_news);

/// How long the Slurm job that we run in still has; nothing outside one, or if it has no limit or Slurm does not tell.
[[nodiscard]] std::optional<std::chrono::seconds> allocation_time_left();

/// Reads squeue's way to write a time: "MM:SS", "HH:MM:SS", "D-HH:MM:SS". Nothing for other text: "UNLIMITED".
[[nodiscard]] std::optional<std::chrono::seconds> parse_slurm_time(std::string_view text);

}  // namespace bcastgen
