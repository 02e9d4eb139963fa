// What programs broadcast, by their traces: how many messages of which size to how many machines.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/measure/trace.hpp"

namespace bcastgen {

/// Broadcasts of one shape and size. Sizes that are nearly the same are one, and where there are very many, those of
/// little time are counted to the nearest.
struct WorkloadCell {
    int machines = 2;
    int ranks_per_machine = 1;  ///< rounded up
    std::size_t message_bytes = 0;
    double broadcasts = 0;
    double native_broadcasts = 0;  ///< of them, those that the MPI's own broadcast carried
    double seconds = 0;            ///< that a rank spent in them, the mean of all ranks
};

/// What the traces of one or more jobs have in common with tables: broadcasts among two machines and more.
struct Workload {
    std::size_t jobs = 0;               ///< traces
    double seconds = 0;                 ///< that a rank spent in all broadcasts, also those that no cell stands for
    std::vector<WorkloadCell> cells{};  ///< by machines, ranks on each, message size
};

[[nodiscard]] Workload workload_of(const std::vector<Trace>& traces);

/// What is worth tuning for: the sizes, machine counts and ranks on each machine of all cells but those that together
/// have no more than a hundredth of the time. Growing.
struct WorthTuning {
    std::vector<std::size_t> sizes;
    std::vector<int> machine_counts;
    std::vector<int> ranks_per_machine;
};

[[nodiscard]] WorthTuning worth_tuning(const Workload& workload);

}  // namespace bcastgen
