// What this host offers: MPIs, compilers, limits, file systems, settings.
#pragma once

#include <vector>

#include "cli/doctor/symptom.hpp"

namespace bcastgen {

/// Compilers, launchers and what the kinds of clusters need.
[[nodiscard]] std::vector<Symptom> look_at_programs();

/// What a process may have of files and memory; shared memory; whether others see this directory.
[[nodiscard]] std::vector<Symptom> look_at_limits();

/// Variables that the library looks at, and such as look like them.
[[nodiscard]] std::vector<Symptom> look_at_settings();

}  // namespace bcastgen
