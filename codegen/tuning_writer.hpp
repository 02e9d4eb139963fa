// Writes a decision table as a file (tuning.yaml, docs/formats.md) that read_tuning reads.
#pragma once

#include <string>
#include <vector>

#include "decision_table.hpp"
#include "network.hpp"

namespace bcastgen {

/// What a table was measured on.
struct TuningOrigin {
    std::string cluster;  ///< simulated, emulated, mpiexec, slurm
    std::string mpi;      ///< with its version
    int machines = 0;
};

/// A message size at which the table was compared with native, in one job.
struct TableTrial {
    int machines = 0;
    int ranks_per_machine = 1;
    bcast::Arrival arrival = bcast::Arrival::balanced;
    std::string placement;  ///< near or spread
    std::size_t message_bytes = 0;
    bcast::Algorithm algorithm = bcast::Algorithm::native;  ///< what the search chose
    std::size_t segment_bytes = 0;
    double speed_up = 0;  ///< native over that
    double speed_up_low = 0;
    double speed_up_high = 0;
    bool kept = false;  ///< false: native took its place
};

/// The file's text, the same for the same arguments. `margin`: what a rule had to win by.
[[nodiscard]] std::string write_tuning(const DecisionTable& table, const Network& network, const TuningOrigin& origin,
                                       double margin, const std::vector<TableTrial>& trials);

}  // namespace bcastgen
