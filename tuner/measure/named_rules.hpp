// What tables take, by the names under which it is measured.
#pragma once

#include <optional>
#include <string>

#include "planner/decision/decision_table.hpp"
#include "tuner/program/measured.hpp"

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

}  // namespace bcastgen
