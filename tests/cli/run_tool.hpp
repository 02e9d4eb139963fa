// Runs the built tool as a user does.
#pragma once

#include <string>
#include <vector>

#include "tests/run_program.hpp"

namespace bcastgen::testing {

/// Runs `bcastgen ARGUMENTS…`, in the project's directory unless told otherwise.
inline Outcome run_tool(std::vector<std::string> arguments, const Surroundings& surroundings = {}) {
    arguments.insert(arguments.begin(), BCASTGEN_TOOL);
    return run_program(std::move(arguments), surroundings);
}

}  // namespace bcastgen::testing
