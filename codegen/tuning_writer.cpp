#include "tuning_writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "site_plan.hpp"
#include "site_tables.hpp"

namespace bcastgen {

namespace {

std::string name_of(bcast::Arrival arrival) {
    return arrival == bcast::Arrival::balanced ? "balanced" : "imbalanced";
}

std::string choice_text(bcast::Algorithm algorithm, std::size_t segment_bytes) {
    std::string text = fmt::format("algorithm: {}", bcast::name_of(algorithm));
    if (segment_bytes > 0) text += fmt::format(", segment: {}", size_text(segment_bytes));
    return text;
}

std::string rule_text(const TableRule& rule) {
    std::string text =
        fmt::format("  - machines: {}\n    ranks_per_machine: {}\n    arrival: {}\n    messages:\n",
                    range_text(rule.machines_from, rule.machines_to),
                    range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to), name_of(rule.arrival));
    for (const MessageRule& message : rule.messages) {
        text += fmt::format("      - {{up_to: {}, {}}}\n", size_text(message.up_to),
                            choice_text(message.algorithm, message.segment_bytes));
    }
    return text;
}

bool same_shape(const TableTrial& a, const TableTrial& b) {
    return a.machines == b.machines && a.ranks_per_machine == b.ranks_per_machine && a.arrival == b.arrival &&
           a.placement == b.placement;
}

}  // namespace

std::string write_tuning(const DecisionTable& table, const Network& network, const TuningOrigin& origin, double margin,
                         const std::vector<TableTrial>& trials) {
    std::string text = fmt::format(
        "# Written by bcastgen tune; docs/formats.md describes it. bcastgen TOPOLOGY --tuning THIS bakes it in.\n"
        "format: bcastgen-tuning/1\ntopology: {}\nplan: {:016x}\nmeasured: {{cluster: {}, mpi: \"{}\", machines: {}}}\n"
        "rules:\n",
        network.name, make_site_plan(network).hash, origin.cluster, origin.mpi, origin.machines);
    for (const TableRule& rule : table.rules) text += rule_text(rule);
    text += fmt::format("validated:\n  margin: {:.3g}\n  trials:{}\n", margin, trials.empty() ? " []" : "");
    for (std::size_t i = 0; i < trials.size(); ++i) {
        const TableTrial& trial = trials[i];
        if (i == 0 || !same_shape(trial, trials[i - 1])) {
            text += fmt::format(
                "    - machines: {}\n      ranks_per_machine: {}\n      arrival: {}\n"
                "      placement: {}\n      messages:\n",
                trial.machines, trial.ranks_per_machine, name_of(trial.arrival), trial.placement);
        }
        text += fmt::format("        - {{size: {}, {}, speed_up: {:.3f}, at_least: {:.3f}, at_most: {}, kept: {}}}\n",
                            size_text(trial.message_bytes), choice_text(trial.algorithm, trial.segment_bytes),
                            trial.speed_up, trial.speed_up_low,
                            std::isfinite(trial.speed_up_high) ? fmt::format("{:.3f}", trial.speed_up_high) : "unknown",
                            trial.kept ? "yes" : "no");
    }
    return text;
}

}  // namespace bcastgen
