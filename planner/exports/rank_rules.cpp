#include "planner/exports/rank_rules.hpp"

#include <fmt/format.h>

#include <set>

namespace bcastgen {

namespace {

/// Which numbers of machines begin a range that one row is for.
std::set<int> beginnings(const DecisionTable& table) {
    std::set<int> machines{1, 2};  // a machine alone sends nothing
    for (const Rule& rule : table.rules) {
        machines.insert(rule.machines_from);
        if (rule.machines_to != bcast::any_number) machines.insert(rule.machines_to + 1);
    }
    return machines;
}

std::string ranks_in_words(const RankRule& rule) {
    if (rule.ranks_to != bcast::any_number) return range_text(rule.ranks_from, rule.ranks_to) + " ranks";
    return rule.ranks_from == 1 ? "any number of ranks" : fmt::format("{} ranks and more", rule.ranks_from);
}

std::vector<MessageRule> messages_for(const DecisionTable& table, int machines, int ranks_per_machine) {
    const Rule* row = bcast::row_for(table.rules, machines, ranks_per_machine, bcast::Arrival::balanced);
    return row == nullptr || machines < 2 ? std::vector{MessageRule{}} : merged(row->messages);
}

}  // namespace

std::vector<RankRule> rank_rules(const DecisionTable& table, int ranks_per_machine) {
    std::vector<RankRule> rules;
    for (const int machines : beginnings(table)) {
        std::vector<MessageRule> messages = messages_for(table, machines, ranks_per_machine);
        if (!rules.empty() && rules.back().messages == messages) continue;
        // Ranks that fill no whole number of machines are on one machine more.
        const std::int64_t ranks = std::int64_t{machines - 1} * ranks_per_machine + 1;
        if (ranks > bcast::any_number) break;
        if (!rules.empty()) rules.back().ranks_to = static_cast<int>(ranks - 1);
        rules.push_back({static_cast<int>(ranks), bcast::any_number, std::move(messages)});
    }
    return rules;
}

const MpiBroadcast* own_of(const MessageRule& rule, MpiFamily family) {
    return rule.own != nullptr && rule.own->of == family ? rule.own : nullptr;
}

std::string left_out_line(const RankRule& rule, std::size_t message, const std::string& whose) {
    const MessageRule& of = rule.messages[message];
    std::string messages = "all messages";
    if (message > 0) messages = "messages above " + size_text(rule.messages[message - 1].up_to);
    if (of.up_to != bcast::no_limit) {
        messages = (message > 0 ? messages + " " : std::string("messages ")) + "up to " + size_text(of.up_to);
    }
    return fmt::format("{}, {}: {}{} is none of {}'s own broadcasts, and is left to its own choice",
                       ranks_in_words(rule), messages, name_of(of),
                       of.segment_bytes > 0 ? " in segments of " + size_text(of.segment_bytes) : "", whose);
}

}  // namespace bcastgen
