// Writes a decision table as a file (tuning.yaml, docs/formats.md) that read_tuning reads.
#pragma once

#include <cstdint>
#include <string>

#include "planner/decision/decision_table.hpp"

namespace bcastgen {

/// What a table was measured on.
struct TuningOrigin {
    std::string topology;         ///< its name
    std::uint64_t plan_hash = 0;  ///< of its site plan
    std::string cluster;          ///< simulated, emulated, mpiexec, slurm
    std::string mpi;              ///< with its version
    int machines = 0;
    std::string network{};  ///< by what model it was simulated; else empty
};

/// The file's text, the same for the same arguments.
[[nodiscard]] std::string write_tuning(const DecisionTable& table, const TuningOrigin& origin);

}  // namespace bcastgen
