// What tables take, by the names under which it is measured.
#pragma once

#include <optional>
#include <string>

#include "planner/decision/decision_table.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

/// The name of what the rule takes.
[[nodiscard]] inline std::string measured_name(const MessageRule& rule) {
    return rule.own != nullptr ? rule.own->name : measured_name(rule.choice());
}

/// A rule for all messages in one piece that takes what is called so; nothing if no table can name it.
[[nodiscard]] inline std::optional<MessageRule> named_rule(const std::string& name) {
    MessageRule rule;
    rule.own = mpi_broadcast_called(name);
    const std::optional<MeasuredWay> way = way_called(name);
    if (rule.own == nullptr && !way) return std::nullopt;
    if (way) rule.algorithm = way->algorithm;
    if (way) rule.hand_on = way->hand_on;
    return rule;
}

/// The rule for messages up to that of the case that takes what it does. Searches choose from what tables can name
/// alone.
[[nodiscard]] inline MessageRule rule_of(const MeasureCase& choice) {
    MessageRule rule = named_rule(choice.algorithm).value();
    rule.up_to = choice.message_bytes;
    rule.segment_bytes = choice.segment_bytes;
    return rule;
}

}  // namespace bcastgen
