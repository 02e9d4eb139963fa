// Small programs for the simulated MPI's own tests.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "tests/simulator/fake_mpi/job.hpp"

namespace simulator {

/// Runs `program(rank)` on so many ranks between MPI_Init and MPI_Finalize. Empty, or what went wrong.
inline std::string job_of(int ranks, const std::function<void(Rank&)>& program, Habits habits = {},
                          std::uint64_t seed = 1) {
    Job job(ranks, seed, std::move(habits), [&program](Rank& rank) {
        PMPI_Init(nullptr, nullptr);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        program(rank);
        PMPI_Finalize();
    });
    return job.run();
}

/// A network where every message waits for its receiver, or none does.
inline Habits all_by_rendezvous(double share) {
    Habits habits;
    habits.rendezvous = share;
    return habits;
}

}  // namespace simulator
