// Mappings as launchers take them; planner/grid/mapping_file.hpp reads all of these.
#pragma once

#include <string>

#include "planner/grid/grid.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

[[nodiscard]] std::string rankfile_text(const Network& network, const Mapping& mapping);        ///< Open MPI's
[[nodiscard]] std::string hostfile_text(const Network& network, const Mapping& mapping);        ///< MPICH's
[[nodiscard]] std::string slurm_hostfile_text(const Network& network, const Mapping& mapping);  ///< SLURM_HOSTFILE

}  // namespace bcastgen
