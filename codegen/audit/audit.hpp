// Checks an emitted library against the topology for which it was made.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "codegen/emit/emitter.hpp"
#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

struct Audit {
    std::vector<Diagnostic> findings;  ///< what is wrong, each with its place, what was expected and what was found
    int trees = 0;                     ///< how many baked (and linear) trees were proved again
    DecisionTable table;               ///< as the code has it
};

/// Reads names, switches, orders, trees and decision table back from the syntax tree of `files`, compares
/// them with what `network` and its plan `site` ask for, proves the trees again, and compares all other code, comments
/// and layout apart, with what would be emitted. The decision table must agree with its own hash, and with `table`
/// unless that is null. `directory` is how findings name the library's place; `include_directories` are those of an
/// MPI.
[[nodiscard]] Audit audit_library(const std::vector<EmittedFile>& files, const std::string& directory,
                                  const Network& network, const SitePlan& site, const DecisionTable* table,
                                  const std::vector<std::string>& include_directories);

}  // namespace bcastgen
