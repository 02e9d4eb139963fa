#include "planner/decision/tuning_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "base/yaml/yaml_values.hpp"
#include "bcast/facts/settings.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_segment_bytes = std::size_t{1} << 30;
constexpr int most_machines_of_a_rule = 1 << 24;

/// A number from 0 on, or "unknown", which is infinity.
double read_ratio(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (!text) return 0;
    if (*text == "unknown") return std::numeric_limits<double>::infinity();
    double number = 0;
    const char* const end = text->data() + text->size();
    const auto [at, error] = std::from_chars(text->data(), end, number, std::chars_format::fixed);
    if (error == std::errc() && at == end && number >= 0) return number;
    source.error(*fields[key], fmt::format("{} is not a number from 0 on", in_quotes(*text)));
    return 0;
}

int read_number_of(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key) {
    if (fields[key] == nullptr) {
        if (fields.lacks(key)) source.error(map, fmt::format("\"{}\" is missing", key));
        return 0;
    }
    return read_count(source, fields[key], fmt::format("\"{}\"", key), 1, most_machines_of_a_rule).value_or(0);
}

/// One of two words: whether it is the first. Nothing, and reported, for any other.
std::optional<bool> read_either(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key,
                                std::string_view first, std::string_view second) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (!text) return std::nullopt;
    if (*text == first || *text == second) return *text == first;
    source.error(*fields[key], fmt::format("{} is neither {} nor {}", in_quotes(*text), first, second));
    return std::nullopt;
}

TableTrial read_trial(YamlSource& source, const YamlNode& node) {
    TableTrial trial;
    const YamlFields fields(source, &node, "a trial",
                            {"machines", "ranks_per_machine", "arrival", "placement", "size", "algorithm", "segment",
                             "hand_on", "speed_up", "at_least", "at_most", "kept"});
    trial.machines = read_number_of(source, node, fields, "machines");
    trial.ranks_per_machine = read_number_of(source, node, fields, "ranks_per_machine");
    trial.arrival = read_arrival(source, node, fields).value_or(bcast::Arrival::balanced);
    trial.placement =
        read_either(source, node, fields, "placement", "near", "spread").value_or(true) ? "near" : "spread";
    if (required(source, node, fields, "size")) {
        trial.message_bytes = read_size(source, *fields["size"]).value_or(0);
    }
    const std::optional<TableAlgorithm> algorithm = read_algorithm(source, node, fields);
    trial.algorithm = algorithm.value_or(TableAlgorithm{}).algorithm;
    trial.own = algorithm.value_or(TableAlgorithm{}).own;
    trial.segment_bytes = read_segment(source, fields, algorithm);
    trial.hand_on = read_hand_on(source, fields, algorithm);
    trial.speed_up = read_ratio(source, node, fields, "speed_up");
    trial.speed_up_low = read_ratio(source, node, fields, "at_least");
    trial.speed_up_high = read_ratio(source, node, fields, "at_most");
    trial.kept = read_either(source, node, fields, "kept", "yes", "no").value_or(false);
    return trial;
}

}  // namespace

std::optional<std::string> required(YamlSource& source, const YamlNode& map, const YamlFields& fields,
                                    std::string_view key) {
    if (fields[key] != nullptr) return read_scalar(source, fields[key], "a word or number");
    if (fields.lacks(key)) source.error(map, fmt::format("\"{}\" is missing", key));
    return std::nullopt;
}

void require_value(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key,
                   const std::string& wanted, const std::string& advice) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (text && *text != wanted) {
        source.error(*fields[key], fmt::format("{} is {} here, not {}; {}", key, in_quotes(*text), wanted, advice));
    }
}

bool read_range(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key, int& from,
                int& to) {
    const std::optional<std::string> text = required(source, map, fields, key);
    if (!text) return false;
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
    if (!good)
        source.error(*fields[key], fmt::format("{} is not a range of counts such as 8, 2-8 or 9-", in_quotes(*text)));
    return good;
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

std::optional<TableAlgorithm> read_algorithm(YamlSource& source, const YamlNode& map, const YamlFields& fields) {
    const std::optional<std::string> name = required(source, map, fields, "algorithm");
    if (!name) return std::nullopt;
    if (const std::optional<TableAlgorithm> found = table_algorithm(*name)) return found;
    std::vector<std::string> names;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) names.emplace_back(row.name);
    const std::string all = fmt::format("{}", fmt::join(names, ", "));
    for (const MpiBroadcast& row : mpi_broadcasts) names.emplace_back(row.name);  // too many to list
    source.error(*fields["algorithm"], fmt::format("there is no algorithm {}{}; there are {}", in_quotes(*name),
                                                   did_you_mean(*name, names), all));
    return std::nullopt;
}

std::size_t read_segment(YamlSource& source, const YamlFields& fields, std::optional<TableAlgorithm> algorithm) {
    if (fields["segment"] == nullptr) return 0;
    const std::optional<std::size_t> segment = read_size(source, *fields["segment"]);
    if (segment && (*segment == 0 || *segment > most_segment_bytes)) {
        source.error(*fields["segment"], "a segment has 1 byte to 1G; leave it out to send messages in one piece");
    } else if (algorithm && !takes_segments(*algorithm)) {
        const bool native = algorithm->own == nullptr && bcast::is_native(algorithm->algorithm);
        const char* why = native ? " is the MPI's own broadcast; it" : "";
        source.error(*fields["segment"], fmt::format("{}{} takes no segment size", name_of(*algorithm), why));
    }
    return segment.value_or(0);
}

bcast::HandOn read_hand_on(YamlSource& source, const YamlFields& fields, std::optional<TableAlgorithm> algorithm) {
    const YamlNode* node = fields["hand_on"];
    if (node == nullptr) return bcast::HandOn::messages;
    const std::optional<bcast::HandOn> way = parse_hand_on(node->text);
    if (!way) {
        source.error(*node, "\"hand_on\" is messages, window or native");
    } else if (*way != bcast::HandOn::messages && algorithm && !bcast::uses_trees(algorithm->algorithm)) {
        source.error(*node,
                     fmt::format("{} goes down no trees: nothing is handed on within machines", name_of(*algorithm)));
    }
    return way.value_or(bcast::HandOn::messages);
}

std::optional<bcast::Arrival> read_arrival(YamlSource& source, const YamlNode& map, const YamlFields& fields) {
    const std::optional<bool> balanced = read_either(source, map, fields, "arrival", "balanced", "imbalanced");
    if (!balanced) return std::nullopt;
    return *balanced ? bcast::Arrival::balanced : bcast::Arrival::imbalanced;
}

TableValidation read_validation(YamlSource& source, const YamlNode* node) {
    TableValidation validation;
    if (node == nullptr) return validation;
    if (node->kind == YamlNode::Kind::nothing) {
        source.error(*node, "\"validated\" is empty; it has \"margin\" and \"trials\", or is left out");
        return validation;
    }
    const YamlFields fields(source, node, "\"validated\"", {"margin", "trials"});
    if (node->kind != YamlNode::Kind::map) return validation;
    validation.margin = read_ratio(source, *node, fields, "margin");
    if (fields["trials"] == nullptr && fields.lacks("trials")) source.error(*node, "\"trials\" is missing");
    for (const YamlNode* item : list_items(source, fields["trials"], "\"trials\"")) {
        validation.trials.push_back(read_trial(source, *item));
    }
    return validation;
}

}  // namespace bcastgen
