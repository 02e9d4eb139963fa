// Checks an emitted library against the topology for which it was made.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "codegen/audit/found_library.hpp"
#include "codegen/audit/read_back.hpp"
#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

struct Audit {
    std::vector<Diagnostic> findings;  ///< what is wrong, each with its place, what was expected and what was found
    int trees = 0;                     ///< how many baked (and linear) trees were proved again
    DecisionTable table;               ///< as the code has it
};

/// What many audits of one site's libraries have in common.
struct PreparedAudit {
    std::shared_ptr<const PreparedHeaders> headers;
    std::string command;
    std::vector<EmittedFile> emission;  ///< whose banners have the command
};

/// For audits with these arguments and libraries that have the headers and the command of `library`. It takes longer
/// than one of them.
[[nodiscard]] PreparedAudit prepare_audit(const FoundLibrary& library, const Network& network, const SitePlan& site,
                                          const DecisionTable& table,
                                          const std::vector<std::string>& include_directories);

/// Whether `library` is what bcastgen emits for `network`, whose plan is `site`: the same files and no others that
/// anybody could come across; what is only copied, byte by byte (line ends apart); of CMakeLists.txt and modulefile
/// every word; of the generated C++ every token and directive. Names, switches, orders, trees and decision table are
/// read from its syntax tree, so that a difference can be told as what it means, and the trees are proved again. The
/// decision table must agree with its own hash, and with `table` unless that is null. `directory` is how findings name
/// the library's place; `include_directories` are those of an MPI. `prepared`, of the same arguments, changes nothing
/// but time.
[[nodiscard]] Audit audit_library(const FoundLibrary& library, const std::string& directory, const Network& network,
                                  const SitePlan& site, const DecisionTable* table,
                                  const std::vector<std::string>& include_directories,
                                  const PreparedAudit* prepared = nullptr);

}  // namespace bcastgen
