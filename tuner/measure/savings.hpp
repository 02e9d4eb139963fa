// What a decision table saves of the time that programs spend in broadcasts.
#pragma once

#include <optional>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/measure/workload.hpp"

namespace bcastgen {

/// Seconds of a whole workload, against the MPI's own broadcast: the likeliest, and bounds.
struct Seconds {
    double likely = 0;
    double low = 0;
    double high = 0;
};

/// What a table does for one cell of a workload.
struct Saving {
    WorkloadCell cell;
    double native_us = 0;  ///< of one broadcast
    double chosen_us = 0;  ///< of one by the table's choice; native's where that is the choice
    Seconds saved;
};

[[nodiscard]] Seconds sum_of(const std::vector<Saving>& savings);

/// By prices (planner/price): what the predicted table would save of the broadcasts that went to the MPI's own. The
/// machines that they were among are not known: bounds are of near and of spread ones, and of prices that are a tenth
/// off. Cells of more machines than the network has, or than can be priced in seconds, are left out.
[[nodiscard]] std::vector<Saving> predicted_savings(const Network& network, const Workload& workload);

}  // namespace bcastgen
