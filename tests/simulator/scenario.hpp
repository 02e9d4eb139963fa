// Runs a plan, and checks everything that can be checked.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bcast/facts/site.hpp"
#include "situations.hpp"
#include "tests/simulator/plan/plan.hpp"

namespace simulator {

/// What was run, to see that nothing is left out.
struct Counts {
    std::uint64_t jobs = 0;
    std::uint64_t broadcasts = 0;
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::uint64_t in_trouble = 0;        ///< broadcasts of jobs whose set-up goes wrong
    std::uint64_t of_wrong_lengths = 0;  ///< broadcasts to which ranks pass different ones
    std::uint64_t with_faults = 0;       ///< broadcasts of jobs in which something fails
    std::uint64_t faults = 0;            ///< calls that failed, memory that was refused
    std::uint64_t aborted = 0;           ///< jobs that a rank had to end
    std::uint64_t natively = 0;          ///< broadcasts that the MPI's own did
    std::array<std::uint64_t, bcast::algorithm_count> by_choice{};
    Situations situations;

    void add(const Counts& other);
};

/// Empty, or what went wrong.
std::string run(const Plan& plan, Counts& counts);

}  // namespace simulator
