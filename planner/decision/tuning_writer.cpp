#include "planner/decision/tuning_writer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/units.hpp"
#include "planner/decision/measured_sends.hpp"

namespace bcastgen {

namespace {

std::string choice_text(const bcast::Choice& choice, const MpiBroadcast* own) {
    std::string text = fmt::format("algorithm: {}", name_of(TableAlgorithm{choice.algorithm, own}));
    if (choice.segment_bytes > 0) text += fmt::format(", segment: {}", size_text(choice.segment_bytes));
    if (choice.hand_on != bcast::HandOn::messages) text += fmt::format(", hand_on: {}", bcast::name_of(choice.hand_on));
    return text;
}

std::string rule_text(const Rule& rule) {
    std::string text =
        fmt::format("  - machines: {}\n    ranks_per_machine: {}\n    arrival: {}\n    messages:\n",
                    range_text(rule.machines_from, rule.machines_to),
                    range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to), bcast::name_of(rule.arrival));
    for (const MessageRule& message : rule.messages) {
        const std::string because = name_of(message.grounds);
        text += fmt::format("      - {{up_to: {}, {}{}}}\n", size_text(message.up_to),
                            choice_text(message.choice(), message.own), because.empty() ? "" : ", because: " + because);
    }
    return text;
}

std::string ratio_text(double ratio) {
    return std::isfinite(ratio) ? fmt::format("{:.3f}", ratio) : "unknown";
}

std::string trial_text(const TableTrial& trial) {
    return fmt::format(
        "    - {{machines: {}, ranks_per_machine: {}, arrival: {}, placement: {}, size: {}, {}, "
        "speed_up: {}, at_least: {}, at_most: {}, kept: {}}}\n",
        trial.machines, trial.ranks_per_machine, bcast::name_of(trial.arrival), trial.placement,
        size_text(trial.message_bytes), choice_text({trial.algorithm, trial.segment_bytes, trial.hand_on}, trial.own),
        ratio_text(trial.speed_up), ratio_text(trial.speed_up_low), ratio_text(trial.speed_up_high),
        trial.kept ? "yes" : "no");
}

}  // namespace

std::string write_tuning(const DecisionTable& table, const TuningOrigin& origin) {
    std::string text = fmt::format(
        "# Written by bcastgen tune; docs/formats.md describes it. bcastgen TOPOLOGY --tuning THIS bakes it in.\n"
        "format: bcastgen-tuning/1\ntopology: {}\nplan: {:016x}\nmeasured: {{cluster: {}{}, mpi: {}, machines: {}{}}}\n"
        "rules:\n",
        origin.topology, origin.plan_hash, origin.cluster, origin.network.empty() ? "" : ", network: " + origin.network,
        origin.mpi, origin.machines, measured_sends_text(table));
    for (const Rule& rule : table.rules) text += rule_text(rule);
    if (table.validation.trials.empty()) return text;
    text += fmt::format("validated:\n  margin: {:.3f}\n  trials:\n", table.validation.margin);
    for (const TableTrial& trial : table.validation.trials) text += trial_text(trial);
    return text;
}

}  // namespace bcastgen
