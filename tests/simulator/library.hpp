// The emitted library as the simulator runs it: one state for each rank, all of one binary.
#pragma once

#include <mpi.h>

#include <string>

#include "bcast/facts/decision.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/hand_on/ring.hpp"
#include "tests/simulator/fake_mpi/job.hpp"

namespace simulator {

/// What a rank's process finds around it.
struct Surroundings {
    const bcast::Site* site;
    const std::vector<std::pair<std::string, std::string>>* variables;
    bcast::RingShape ring;
};

/// Gives the calling rank a library of its own, as if it were loaded into a new process.
void load_library(Rank& rank, const Surroundings& surroundings);
void unload_library(Rank& rank);
/// The library's calls are the rank's from now on (Scheduler::on_resume).
void use_library_of(void* rank);

/// Collective. Empty, or why broadcasts by choice cannot be served.
std::string prepare(MPI_Comm comm);
int broadcast_by(const bcast::Choice& choice, void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm);
/// True if the library leaves the communicator to the MPI.
bool is_declined(MPI_Comm comm);

}  // namespace simulator
