// A decision table as an MPI's own rules ask it: by the number of ranks of a communicator, which is all that they know
// of it.
#pragma once

#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"

namespace bcastgen {

/// Communicators of so many ranks, both ends included.
struct RankRule {
    int ranks_from = 1;
    int ranks_to = bcast::any_number;
    std::vector<MessageRule> messages;  ///< the last one is for all larger messages

    bool operator==(const RankRule&) const = default;
};

/// The rules for balanced arrivals of jobs with so many ranks on each machine: from one rank to any number, growing and
/// without gaps. Where the table has none, every message is native.
[[nodiscard]] std::vector<RankRule> rank_rules(const DecisionTable& table, int ranks_per_machine);

/// An MPI's own rules, as text.
struct ExportedRules {
    std::string text;
    std::vector<std::string> remarks;  ///< for people: what could not be said, a line each
};

/// Where rules come from, for the comments in them.
struct RulesOrigin {
    std::string topology;
    std::string measured;  ///< DecisionTable::origin
};

/// What the MPI is to take for the rule's messages; nullptr: what it takes by itself.
[[nodiscard]] const MpiBroadcast* own_of(const MessageRule& rule, MpiFamily family);

/// A line for each message rule that is neither native nor an MPI's own that `says` is true of: `whose` own choice
/// stands there.
template <class Says>
[[nodiscard]] std::vector<std::string> left_out(const std::vector<RankRule>& rules, const std::string& whose,
                                                Says says);

/// "17 ranks and more, messages above 8K up to 64K: two-tree in segments of 8K is none of Open MPI's own broadcasts; …"
[[nodiscard]] std::string left_out_line(const RankRule& rule, std::size_t message, const std::string& whose);

template <class Says>
std::vector<std::string> left_out(const std::vector<RankRule>& rules, const std::string& whose, Says says) {
    std::vector<std::string> lines;
    for (const RankRule& rule : rules) {
        for (std::size_t at = 0; at < rule.messages.size(); ++at) {
            const MessageRule& message = rule.messages[at];
            const bool native = message.own == nullptr && bcast::is_native(message.algorithm);
            if (!native && !says(message)) lines.push_back(left_out_line(rule, at, whose));
        }
    }
    return lines;
}

}  // namespace bcastgen
