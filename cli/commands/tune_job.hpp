// Tuning under a batch system: as one job, within its time limit.
#pragma once

#include "planner/network/network.hpp"
#include "tuner/search/tuner.hpp"

namespace bcastgen {

/// This very command as a batch job of its own, that inside its allocation takes the nodes it is given. What it says
/// comes as it says it. Its exit code.
int tune_in_one_job(const Network& network, const TuneRequest& request);

/// A job that its queue will end has no more time than that.
void heed_time_limit(TuneRequest& request, Clock::time_point begin);

}  // namespace bcastgen
