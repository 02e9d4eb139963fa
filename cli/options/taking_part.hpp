// Who takes part in a broadcast that is planned.
#pragma once

#include <CLI/CLI.hpp>

#include "planner/plan/plan_options.hpp"

namespace bcastgen {

/// --root and --machines.
void add_taking_part(CLI::App& command, PlanOptions& options);

}  // namespace bcastgen
