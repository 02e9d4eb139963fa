// MPICH's selection of collective algorithms: a tree of conditions in JSON, which it carries inside its library and can
// read from a file instead. A file must have all collectives: MPICH aborts at one that it lacks.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "planner/exports/rank_rules.hpp"

namespace bcastgen {

/// What an MPICH brings along.
struct MpichSelection {
    std::string text;                 ///< for all collectives, as this version has it
    bool has_pipelined_tree = false;  ///< as a broadcast; else as its non-blocking one alone
};

/// What the bytes of libmpich.so (or .a) carry; nothing if they carry none: MPICH before 4.0, or another file.
[[nodiscard]] std::optional<MpichSelection> selection_in(std::string_view library);

/// The version's selection with these rules for broadcasts; elsewhere, and where a rule is native, it stays as it is.
/// Throws ParseError if the selection is not as all known versions have it.
[[nodiscard]] ExportedRules mpich_selection(const std::vector<RankRule>& rules, const MpichSelection& version);

}  // namespace bcastgen
