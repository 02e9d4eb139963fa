#include "planner/decision/decision_table.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/units.hpp"

namespace bcastgen {

std::string size_text(std::size_t bytes) {
    return bytes == bcast::no_limit ? "max" : format_size(bytes);
}

std::string range_text(int from, int to) {
    if (from == to) return std::to_string(from);
    return std::to_string(from) + "-" + (to == bcast::any_number ? "" : std::to_string(to));
}

std::string range_words(int from, int to) {
    if (to != bcast::any_number) return range_text(from, to);
    return from == 1 ? "any number" : std::to_string(from) + " and more";
}

std::optional<bcast::Arrival> parse_arrival(std::string_view name) {
    for (const bcast::Arrival arrival : {bcast::Arrival::balanced, bcast::Arrival::imbalanced}) {
        if (name == bcast::name_of(arrival)) return arrival;
    }
    return std::nullopt;
}

std::optional<bcast::HandOn> parse_hand_on(std::string_view name) {
    for (const bcast::HandOn way : {bcast::HandOn::messages, bcast::HandOn::window, bcast::HandOn::native}) {
        if (name == bcast::name_of(way)) return way;
    }
    return std::nullopt;
}

const char* name_of(Grounds grounds) {
    switch (grounds) {
        case Grounds::measured:
            return "measured";
        case Grounds::predicted:
            return "predicted";
        case Grounds::no_time:
            return "no-time";
        case Grounds::unknown:
            break;
    }
    return "";
}

std::optional<Grounds> parse_grounds(std::string_view name) {
    for (const Grounds grounds : {Grounds::measured, Grounds::predicted, Grounds::no_time}) {
        if (name == name_of(grounds)) return grounds;
    }
    return std::nullopt;
}

std::optional<TableAlgorithm> table_algorithm(const std::string& name) {
    if (const MpiBroadcast* own = mpi_broadcast_called(name)) return TableAlgorithm{bcast::usual::no_rule, own};
    const std::optional<bcast::Algorithm> ours = bcast::parse_algorithm(name.c_str());
    if (!ours) return std::nullopt;
    return TableAlgorithm{*ours, nullptr};
}

const char* name_of(const TableAlgorithm& algorithm) {
    return algorithm.own != nullptr ? algorithm.own->name : bcast::name_of(algorithm.algorithm);
}

const char* name_of(const MessageRule& rule) {
    return name_of(TableAlgorithm{rule.algorithm, rule.own});
}

bool takes_segments(const TableAlgorithm& algorithm) {
    return algorithm.own != nullptr ? algorithm.own->takes_segments : bcast::takes_segments(algorithm.algorithm);
}

DecisionTable for_library(DecisionTable table) {
    for (Rule& rule : table.rules) {
        for (MessageRule& message : rule.messages) {
            if (std::exchange(message.own, nullptr) != nullptr) message.segment_bytes = 0;
        }
        rule.messages = merged(rule.messages, [](const MessageRule& message, std::size_t, std::size_t) {
            return bcast::is_native(message.algorithm);
        });
    }
    return table;
}

bool names_own(const DecisionTable& table) {
    const auto is_own = [](const MessageRule& message) { return message.own != nullptr; };
    return std::any_of(table.rules.begin(), table.rules.end(), [&](const Rule& rule) {
        return std::any_of(rule.messages.begin(), rule.messages.end(), is_own);
    });
}

std::vector<MessageRule> merged(const std::vector<MessageRule>& messages, const MayJoin& may_join) {
    std::vector<MessageRule> result;
    std::size_t own_above = 0;
    std::size_t above = 0;  // of the last of the result
    for (const MessageRule& message : messages) {
        const bool same =
            !result.empty() && result.back().choice() == message.choice() && result.back().own == message.own;
        const bool must_join = message.segment_bytes > own_above;  // tables have no segments longer than messages
        if (same && (must_join || !may_join || may_join(message, own_above, above))) {
            result.back().up_to = message.up_to;
            if (message.grounds == Grounds::measured) result.back().grounds = Grounds::measured;
        } else {
            result.push_back(message);
            above = own_above;
        }
        own_above = message.up_to;
    }
    return result;
}

std::uint64_t hash_of(const DecisionTable& table) {
    Hash hash;
    for (const Rule& rule : table.rules) {
        hash.add(static_cast<std::int64_t>(rule.messages.size()));
        hash.add(rule.machines_from);
        hash.add(rule.machines_to);
        hash.add(rule.ranks_per_machine_from);
        hash.add(rule.ranks_per_machine_to);
        hash.add(static_cast<int>(rule.arrival));
        for (const MessageRule& message : rule.messages) {
            hash.add(static_cast<std::int64_t>(message.up_to));
            hash.add(name_of(message));
            hash.add(static_cast<std::int64_t>(message.segment_bytes));
            // Tables without it keep the hashes that they had before there was a choice.
            if (message.hand_on != bcast::HandOn::messages) hash.add(bcast::name_of(message.hand_on));
        }
    }
    if (table.sends.latency_ns != 0) {
        for (const std::int64_t ns :
             {table.sends.overhead_ns, table.sends.latency_ns, table.sends.answer_ns, table.sends.receive_ns}) {
            hash.add(ns);
        }
    }
    return hash.value();
}

std::vector<MessageRule> choices_of(const DecisionTable& table) {
    std::vector<MessageRule> choices;
    for (const Rule& rule : table.rules) {
        for (MessageRule message : rule.messages) {
            if (bcast::is_native(message.algorithm)) continue;
            message.up_to = 0;
            if (std::find(choices.begin(), choices.end(), message) == choices.end()) choices.push_back(message);
        }
    }
    std::sort(choices.begin(), choices.end(), [](const MessageRule& a, const MessageRule& b) {
        return std::tie(a.algorithm, a.segment_bytes, a.hand_on) < std::tie(b.algorithm, b.segment_bytes, b.hand_on);
    });
    return choices;
}

}  // namespace bcastgen
