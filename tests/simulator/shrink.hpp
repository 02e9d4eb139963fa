// From a failure to the least of it that still fails.
#pragma once

#include <cstdint>
#include <string>

#include "tests/simulator/plan/plan.hpp"

namespace simulator {

/// Runs a job in a process of its own, so that it may crash or hang. Empty if all is well, else what went wrong.
std::string run_apart(std::uint64_t seed, const Reduction& reduction);

/// The smallest reduction found under which the job still fails.
Reduction shrink(std::uint64_t seed, const Reduction& start);

/// What to type to see a failure again.
std::string replay_command(std::uint64_t seed, const Reduction& reduction);

}  // namespace simulator
