#include "tuning_yaml.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "parse_error.hpp"
#include "site_plan.hpp"
#include "topology_reader.hpp"
#include "units.hpp"
#include "yaml_source.hpp"

namespace bcastgen {

namespace {

/// The text of a required scalar; reported when absent or no scalar.
std::optional<std::string> required(YamlSource& source, const YamlNode& map, const YamlFields& fields,
                                    std::string_view key) {
    if (fields[key] != nullptr) return read_scalar(source, fields[key], key);
    if (fields.lacks(key)) source.error(map, fmt::format("\"{}\" is missing", key));
    return std::nullopt;
}

void require_value(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key,
                   const std::string& wanted, const std::string& advice) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (text && *text != wanted) {
        source.error(*fields[key], fmt::format("this is for {} {}, not {}; {}", key, *text, wanted, advice));
    }
}

/// "8", "2-8" or "9-".
void read_range(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key, int& from,
                int& to) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (!text) return;
    const char* const end = text->data() + text->size();
    auto [at, error] = std::from_chars(text->data(), end, from);
    bool good = error == std::errc{} && from >= 1;
    to = from;
    if (good && at != end) {
        good = *at++ == '-';
        to = bcast::any_number;
        if (good && at != end) {
            const auto [rest, bad] = std::from_chars(at, end, to);
            good = bad == std::errc{} && rest == end && to >= from;
        }
    }
    if (!good) source.error(*fields[key], fmt::format("\"{}\" is no range such as 8, 2-8 or 9-", *text));
}

std::optional<std::size_t> read_size(YamlSource& source, const YamlNode& node) {
    const std::optional<std::string> text = read_scalar(source, &node, "a size");
    if (!text) return std::nullopt;
    try {
        return static_cast<std::size_t>(parse_size_bytes(*text));
    } catch (const ParseError& error) {
        source.error(source.place_in(node, error.offset()), error.what());
        return std::nullopt;
    }
}

void read_algorithm(YamlSource& source, const YamlNode& map, const YamlFields& fields, MessageRule& message) {
    const std::optional<std::string> name = required(source, map, fields, "algorithm");
    if (!name) return;
    std::string known;
    for (std::size_t i = 0; i < bcast::algorithm_count; ++i) {
        if (*name == bcast::algorithm_names[i]) {
            message.algorithm = static_cast<bcast::Algorithm>(i);
            return;
        }
        known += (i == 0 ? "" : ", ") + std::string(bcast::algorithm_names[i]);
    }
    source.error(*fields["algorithm"], fmt::format("there is no algorithm \"{}\"; there are {}", *name, known));
}

MessageRule read_message(YamlSource& source, const YamlNode& node) {
    MessageRule message;
    const YamlFields fields(source, &node, "a message rule", {"up_to", "algorithm", "segment"});
    const std::optional<std::string> up_to = required(source, node, fields, "up_to");
    if (up_to && *up_to != "max") message.up_to = read_size(source, *fields["up_to"]).value_or(0);
    read_algorithm(source, node, fields, message);
    if (fields["segment"] == nullptr) return message;
    const std::optional<std::size_t> segment = read_size(source, *fields["segment"]);
    if (segment && (*segment == 0 || *segment > (std::size_t{1} << 30))) {
        source.error(*fields["segment"], "a segment has 1 byte to 1 GiB; leave it out to send messages in one piece");
    } else if (message.algorithm == bcast::Algorithm::native) {
        source.error(*fields["segment"], "native has no segment size of ours");
    }
    message.segment_bytes = segment.value_or(0);
    return message;
}

std::vector<MessageRule> read_messages(YamlSource& source, const YamlNode& rule, const YamlFields& fields) {
    std::vector<MessageRule> messages;
    if (fields["messages"] == nullptr) {
        if (fields.lacks("messages")) source.error(rule, "\"messages\" is missing");
        return messages;
    }
    for (const YamlNode* item : list_items(source, fields["messages"], "a list of message rules")) {
        messages.push_back(read_message(source, *item));
        if (messages.size() >= 2 && messages.back().up_to <= messages[messages.size() - 2].up_to) {
            source.error(*item, "\"up_to\" must grow from rule to rule");
        }
    }
    if (messages.empty() || messages.back().up_to != bcast::no_limit) {
        source.error(*fields["messages"], "the last message rule must have up_to: max");
    }
    return messages;
}

TableRule read_rule(YamlSource& source, const YamlNode& node) {
    TableRule rule;
    const YamlFields fields(source, &node, "a rule", {"machines", "ranks_per_machine", "arrival", "messages"});
    read_range(source, node, fields, "machines", rule.machines_from, rule.machines_to);
    read_range(source, node, fields, "ranks_per_machine", rule.ranks_per_machine_from, rule.ranks_per_machine_to);
    const std::optional<std::string> arrival = required(source, node, fields, "arrival");
    if (arrival == "imbalanced") {
        rule.arrival = bcast::Arrival::imbalanced;
    } else if (arrival && *arrival != "balanced") {
        source.error(*fields["arrival"], fmt::format("\"{}\" is neither balanced nor imbalanced", *arrival));
    }
    rule.messages = read_messages(source, node, fields);
    return rule;
}

/// "simulated, 32 machines, SimGrid 3.32": what the file says it was measured on.
std::string origin_of(YamlSource& source, const YamlNode& root, const YamlFields& fields) {
    if (fields["measured"] == nullptr) {
        if (fields.lacks("measured")) source.error(root, "\"measured\" is missing");
        return "";
    }
    const YamlFields measured(source, fields["measured"], "what was measured", {"cluster", "mpi", "machines"});
    const std::string cluster = required(source, *fields["measured"], measured, "cluster").value_or("");
    const std::string mpi = required(source, *fields["measured"], measured, "mpi").value_or("");
    const std::string machines = required(source, *fields["measured"], measured, "machines").value_or("");
    return fmt::format("measured on the {} cluster, {} machines, {}", cluster, machines, mpi);
}

}  // namespace

DecisionTable read_tuning(std::string_view text, const std::string& file, const Network& network) {
    YamlSource source(text, file);
    const YamlNode& root = source.root();
    DecisionTable table;
    const YamlFields fields(source, &root, "a decision table",
                            {"format", "topology", "plan", "measured", "validated", "rules"});
    require_value(source, root, fields, "format", "bcastgen-tuning/1", "tune again with this version");
    require_value(source, root, fields, "topology", network.name, "tune with this topology file");
    require_value(source, root, fields, "plan", fmt::format("{:016x}", make_site_plan(network).hash),
                  "the topology file has changed since; tune again");
    table.origin = origin_of(source, root, fields);
    if (fields["rules"] == nullptr && fields.lacks("rules")) source.error(root, "\"rules\" is missing");
    if (fields["rules"] != nullptr) {
        for (const YamlNode* item : list_items(source, fields["rules"], "a list of rules")) {
            table.rules.push_back(read_rule(source, *item));
        }
    }
    source.throw_if_errors();
    return table;
}

}  // namespace bcastgen
