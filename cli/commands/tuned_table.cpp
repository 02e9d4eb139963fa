#include "cli/commands/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

bcast::Algorithm stored_algorithm(const std::string& name) {
    return algorithm_called(name).value();  // the tuner stores names of algorithms only
}

bcast::Arrival arrival_called(const std::string& name) {
    return name == "balanced" ? bcast::Arrival::balanced : bcast::Arrival::imbalanced;
}

DecisionTable table_of(const std::vector<StoredRule>& rules) {
    DecisionTable table;
    for (const StoredRule& rule : rules) {
        TableRule row;
        row.machines_from = rule.machines_from;
        row.machines_to = rule.machines_to.value_or(bcast::any_number);
        row.ranks_per_machine_from = rule.ranks_per_machine_from;
        row.ranks_per_machine_to = rule.ranks_per_machine_to.value_or(bcast::any_number);
        row.arrival = arrival_called(rule.arrival);
        const MessageRule message{rule.up_to ? static_cast<std::size_t>(*rule.up_to) : bcast::no_limit,
                                  stored_algorithm(rule.algorithm), static_cast<std::size_t>(rule.segment_bytes)};
        if (!table.rules.empty()) row.messages = table.rules.back().messages;
        if (table.rules.empty() || !(table.rules.back() == row)) {
            row.messages.clear();
            table.rules.push_back(row);
        }
        table.rules.back().messages.push_back(message);
    }
    return table;
}

std::vector<TableTrial> trials_of(const std::vector<StoredValidation>& validations) {
    std::vector<TableTrial> trials;
    for (const StoredValidation& one : validations) {
        trials.push_back({one.machines, one.ranks_per_machine, arrival_called(one.arrival), one.placement,
                          static_cast<std::size_t>(one.message_bytes), stored_algorithm(one.algorithm),
                          static_cast<std::size_t>(one.segment_bytes), one.speed_up, one.speed_up_low,
                          one.speed_up_high, one.kept});
    }
    return trials;
}

/// What was won by the rule's messages above and up to so many bytes; empty if none was validated.
std::string gain_text(const TuneResult& result, const TableRule& rule, std::size_t above, std::size_t up_to) {
    double least = 0;
    double most = 0;
    for (const StoredValidation& one : result.validations) {
        const bool here = one.kept && one.machines >= rule.machines_from && one.machines <= rule.machines_to &&
                          one.ranks_per_machine >= rule.ranks_per_machine_from &&
                          one.ranks_per_machine <= rule.ranks_per_machine_to &&
                          arrival_called(one.arrival) == rule.arrival && one.message_bytes > above &&
                          one.message_bytes <= up_to;
        if (!here) continue;
        least = least == 0 ? one.speed_up : std::min(least, one.speed_up);
        most = std::max(most, one.speed_up);
    }
    return least == 0 ? "" : fmt::format("   {:.2f} to {:.2f} x native", least, most);
}

}  // namespace

DecisionTable tuned_table(const TuneResult& result, double margin) {
    DecisionTable table = table_of(result.rules);
    table.validation = {margin, trials_of(result.validations)};
    if (result.sends.latency_ns != 0) {
        table.sends = {result.sends.overhead_ns, result.sends.latency_ns, result.sends.answer_ns};
    }
    return table;
}

std::string mpi_in_words(const RunConditions& on) {
    const std::size_t digit = std::min(on.mpi_version.find_first_of("0123456789"), on.mpi_version.size());
    std::string number = on.mpi_version.substr(digit, on.mpi_version.find_first_not_of("0123456789.", digit) - digit);
    while (number.ends_with('.')) number.pop_back();
    const std::string stands_in = recorded_cluster_kind(on.cluster).stands_in;
    return stands_in.empty() ? fmt::format("{} {}", on.mpi, number)
                             : fmt::format("{} as in {} {}", on.mpi, stands_in, number);
}

std::string tuned_table_text(const Network& network, const RunConditions& on, const TuneResult& result,
                             const DecisionTable& table) {
    std::string text = fmt::format("{}, tuned on the {} cluster, {}\n", network.name, on.cluster, mpi_in_words(on));
    for (const TableRule& rule : table.rules) {
        text +=
            fmt::format("machines {}, ranks per machine {}, {}\n", range_words(rule.machines_from, rule.machines_to),
                        range_words(rule.ranks_per_machine_from, rule.ranks_per_machine_to),
                        rule.arrival == bcast::Arrival::balanced ? "balanced" : "imbalanced");
        std::size_t above = 0;
        for (const MessageRule& message : rule.messages) {
            const std::string gain = gain_text(result, rule, above, message.up_to);
            above = message.up_to;
            text += fmt::format("  up to {:<8} {:<20} {:>6}{}\n",
                                message.up_to == bcast::no_limit ? "max" : format_size(message.up_to),
                                bcast::name_of(message.algorithm),
                                message.segment_bytes == 0 ? "-" : format_size(message.segment_bytes), gain);
        }
    }
    return text;
}

}  // namespace bcastgen
