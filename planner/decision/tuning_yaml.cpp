#include "planner/decision/tuning_yaml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "base/yaml/yaml_source.hpp"
#include "base/yaml/yaml_values.hpp"
#include "planner/decision/covering_rules.hpp"
#include "planner/decision/measured_sends.hpp"
#include "planner/decision/tuning_values.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_rules = 1000;  // each is compared with all before it

/// Up to which size: a number of bytes above 0, or max. Nothing, and reported, for anything else.
std::optional<std::size_t> read_up_to(YamlSource& source, const YamlNode& node, const YamlFields& fields) {
    const std::optional<std::string> text = required(source, node, fields, "up_to");
    if (!text) return std::nullopt;
    if (*text == "max") return bcast::no_limit;
    std::optional<std::size_t> bytes = read_size(source, *fields["up_to"]);
    if (bytes != 0) return bytes;
    source.error(*fields["up_to"], "messages of 0 bytes need no rule");
    return std::nullopt;
}

/// Why the rule is as it is: unknown if the file does not say so.
Grounds read_grounds(YamlSource& source, const YamlFields& fields) {
    const YamlNode* node = fields["because"];
    if (node == nullptr) return Grounds::unknown;
    const std::optional<Grounds> grounds = parse_grounds(node->text);
    if (!grounds) source.error(*node, "\"because\" is measured, predicted or no-time");
    return grounds.value_or(Grounds::unknown);
}

MessageRule read_message(YamlSource& source, const YamlNode& node, std::optional<std::size_t>& up_to) {
    MessageRule message;
    const YamlFields fields(source, &node, "a message rule", {"up_to", "algorithm", "segment", "hand_on", "because"});
    up_to = read_up_to(source, node, fields);
    message.up_to = up_to.value_or(bcast::no_limit);
    const std::optional<TableAlgorithm> algorithm = read_algorithm(source, node, fields);
    message.algorithm = algorithm.value_or(TableAlgorithm{}).algorithm;
    message.own = algorithm.value_or(TableAlgorithm{}).own;
    message.segment_bytes = read_segment(source, fields, algorithm);
    message.hand_on = read_hand_on(source, fields, algorithm);
    message.grounds = read_grounds(source, fields);
    return message;
}

std::vector<MessageRule> read_messages(YamlSource& source, const YamlNode& rule, const YamlFields& fields) {
    std::vector<MessageRule> messages;
    if (fields["messages"] == nullptr) {
        if (fields.lacks("messages")) source.error(rule, "\"messages\" is missing");
        return messages;
    }
    std::optional<std::size_t> up_to;   // of the rule that was read last
    std::optional<std::size_t> before;  // of the last one before it that could be read
    for (const YamlNode* item : list_items(source, fields["messages"], "\"messages\"")) {
        messages.push_back(read_message(source, *item, up_to));
        if (up_to && before && *up_to <= *before) {
            source.error(*item, fmt::format("\"up_to\" must grow from rule to rule, and {} is not above {}",
                                            size_text(*up_to), size_text(*before)));
        }
        if (up_to) before = up_to;
    }
    const bool is_list = fields["messages"]->kind == YamlNode::Kind::list;
    if (is_list && (messages.empty() || (up_to && *up_to != bcast::no_limit))) {
        source.error(messages.empty() ? *fields["messages"] : *fields["messages"]->items.back(),
                     "the last message rule is for all larger messages: it must have up_to: max");
    }
    return messages;
}

Rule read_rule(YamlSource& source, const YamlNode& node, bool& says_for_whom) {
    Rule rule;
    const YamlFields fields(source, &node, "a rule", {"machines", "ranks_per_machine", "arrival", "messages"});
    const bool machines = read_range(source, node, fields, "machines", rule.machines_from, rule.machines_to);
    const bool ranks =
        read_range(source, node, fields, "ranks_per_machine", rule.ranks_per_machine_from, rule.ranks_per_machine_to);
    const std::optional<bcast::Arrival> arrival = read_arrival(source, node, fields);
    rule.arrival = arrival.value_or(bcast::Arrival::balanced);
    rule.messages = read_messages(source, node, fields);
    says_for_whom = machines && ranks && arrival;
    return rule;
}

std::vector<Rule> read_rules(YamlSource& source, const YamlNode& node) {
    std::vector<Rule> rules;
    std::vector<Rule> clear_rules;  // those that say for whom they are
    std::vector<int> clear_lines;
    const std::vector<const YamlNode*> items = list_items(source, &node, "\"rules\"");
    if (items.size() > most_rules) {
        source.error(*items[most_rules], fmt::format("a decision table has at most {} rules", most_rules));
        return rules;
    }
    for (const YamlNode* item : items) {
        bool says_for_whom = false;
        rules.push_back(read_rule(source, *item, says_for_whom));
        if (!says_for_whom) continue;
        clear_rules.push_back(rules.back());
        clear_lines.push_back(item->place.line);
        std::vector<int> lines;
        for (const std::size_t before : covering_rules(clear_rules, clear_rules.size() - 1)) {
            lines.push_back(clear_lines[before]);
        }
        if (lines.empty()) continue;
        const std::string who = lines.size() == 1
                                    ? fmt::format("the one on line {} takes", lines.front())
                                    : fmt::format("those on lines {} together take", fmt::join(lines, ", "));
        source.error(*item, fmt::format("this rule is never reached: {} everything that it is for", who));
    }
    const bool is_list = node.kind == YamlNode::Kind::list;
    if (is_list && rules.empty()) source.error(node, "a decision table has at least one rule");
    return rules;
}

/// A few words that are passed on to people, in files and on terminals.
std::string read_remark(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key) {
    constexpr std::size_t longest = 100;
    const std::string text = required(source, map, fields, key).value_or("");
    if (text.size() <= longest && printable_columns(text) == text && text.find('\t') == std::string::npos) return text;
    source.error(*fields[key],
                 fmt::format("{} is not a remark of one line and at most {} bytes", in_quotes(text), longest));
    return "";
}

/// What the file says it was measured on: "measured on the emulated cluster, 32 machines, mpich 4.0.2". A simulated
/// cluster's network is named as well: "the simulated cluster (network fabric)".
std::string origin_of(YamlSource& source, const YamlNode& root, const YamlFields& fields, DecisionTable& table) {
    if (fields["measured"] == nullptr) {
        if (fields.lacks("measured")) source.error(root, "\"measured\" is missing");
        return "";
    }
    const YamlNode& node = *fields["measured"];
    const YamlFields measured(
        source, &node, "\"measured\"",
        {"cluster", "network", "mpi", "machines", "overhead", "latency", "answer", "receive", "between"});
    if (node.kind != YamlNode::Kind::map) return "";
    const std::string cluster = read_remark(source, node, measured, "cluster");
    const std::string network = measured["network"] == nullptr ? "" : read_remark(source, node, measured, "network");
    const std::string mpi = read_remark(source, node, measured, "mpi");
    const YamlNode* machines = measured["machines"];
    if (machines == nullptr && measured.lacks("machines")) source.error(node, "\"machines\" is missing");
    const int count = machines == nullptr ? 0 : read_count(source, machines, "\"machines\"", 1, 1 << 24).value_or(0);
    read_measured_sends(source, node, measured, table);
    return fmt::format("measured on the {} cluster{}, {}, {}", cluster,
                       network.empty() ? "" : " (network " + network + ")", counted(count, "machine", "machines"), mpi);
}

}  // namespace

namespace {

/// `expect_plan` looks at what the table says it is for.
template <class ExpectPlan>
DecisionTable read_table(YamlSource& source, const std::string& file, DecisionTable table, ExpectPlan expect_plan) {
    const YamlNode& root = source.root();
    const YamlFields fields(source, &root, "a decision table",
                            {"format", "topology", "plan", "measured", "validated", "rules"});
    if (root.kind != YamlNode::Kind::map) {
        if (root.kind == YamlNode::Kind::nothing) {
            throw InputErrors({{file, 0, 0, "the file is empty; a decision table has rules", ""}});
        }
        source.throw_if_errors();
    }
    require_value(source, root, fields, "format", "bcastgen-tuning/1", "tune again with this version");
    expect_plan(root, fields);
    table.origin = origin_of(source, root, fields, table);
    if (fields["rules"] == nullptr) {
        if (fields.lacks("rules")) source.error(root, "\"rules\" is missing");
    } else {
        table.rules = read_rules(source, *fields["rules"]);
    }
    table.validation = read_validation(source, fields["validated"]);
    source.throw_if_errors();
    return table;
}

}  // namespace

DecisionTable read_tuning(std::string_view text, const std::string& file, const Network& network,
                          const SitePlan& site) {
    YamlSource source(text, file);
    DecisionTable table;
    table.sends = usual_sends(network);
    return read_table(source, file, std::move(table), [&](const YamlNode& root, const YamlFields& fields) {
        require_value(source, root, fields, "topology", network.name, "tune with this topology file");
        require_value(source, root, fields, "plan", fmt::format("{:016x}", site.hash),
                      "the topology file has changed since: tune again");
    });
}

DecisionTable read_tuning_of_any_plan(std::string_view text, const std::string& file, std::string& topology) {
    YamlSource source(text, file);
    return read_table(source, file, {}, [&](const YamlNode& root, const YamlFields& fields) {
        topology = required(source, root, fields, "topology").value_or("");
        if (!topology.empty() && !is_safe_name(topology)) {
            source.error(*fields["topology"], fmt::format("{} is no topology's name", in_quotes(topology)));
        }
        (void)required(source, root, fields, "plan");
    });
}

}  // namespace bcastgen
