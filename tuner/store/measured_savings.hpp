// What a tuned table saves of a workload, by the trials that it was validated with.
#pragma once

#include <vector>

#include "tuner/measure/savings.hpp"
#include "tuner/store/store.hpp"

namespace bcastgen {

/// By the measured times of native and of the table's choice, for all of a cell's broadcasts: at the fewest machines
/// that were measured and stand for the cell's, and between message sizes in proportion. Bounds are those of the
/// trials at 95 %, the lowest and the highest of all placements. Cells of shapes that were not measured, or of smaller
/// messages than were, are left out.
[[nodiscard]] std::vector<Saving> measured_savings(const std::vector<StoredValidation>& validations,
                                                   const Workload& workload);

}  // namespace bcastgen
