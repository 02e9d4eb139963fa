#include "cli/commands/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

/// What was won by the rule's messages above and up to so many bytes; empty if none was validated.
std::string gain_text(const TuneResult& result, const Rule& row, std::size_t above, std::size_t up_to) {
    double least = 0;
    double most = 0;
    for (const TableTrial& one : result.table.validation.trials) {
        const bool here = one.kept && bcast::is_for(row, one.machines, one.ranks_per_machine) &&
                          one.arrival == row.arrival && one.message_bytes > above && one.message_bytes <= up_to;
        if (!here) continue;
        least = least == 0 ? one.speed_up : std::min(least, one.speed_up);
        most = std::max(most, one.speed_up);
    }
    return least == 0 ? "" : fmt::format("   {:.2f} to {:.2f} x native", least, most);
}

}  // namespace

std::string mpi_in_words(const RunConditions& on) {
    const std::size_t digit = std::min(on.mpi_version.find_first_of("0123456789"), on.mpi_version.size());
    std::string number = on.mpi_version.substr(digit, on.mpi_version.find_first_not_of("0123456789.", digit) - digit);
    while (number.ends_with('.')) number.pop_back();
    const std::string stands_in = recorded_cluster_kind(on.cluster).stands_in;
    return stands_in.empty() ? fmt::format("{} {}", on.mpi, number)
                             : fmt::format("{} as in {} {}", on.mpi, stands_in, number);
}

std::string tuned_table_text(const Network& network, const RunConditions& on, const TuneResult& result) {
    std::string text = fmt::format("{}, tuned on the {} cluster, {}\n", network.name, on.cluster, mpi_in_words(on));
    for (const Rule& rule : result.table.rules) {
        text += fmt::format(
            "machines {}, ranks per machine {}, {}\n", range_words(rule.machines_from, rule.machines_to),
            range_words(rule.ranks_per_machine_from, rule.ranks_per_machine_to), bcast::name_of(rule.arrival));
        std::size_t above = 0;
        for (const MessageRule& message : rule.messages) {
            const std::string gain = gain_text(result, rule, above, message.up_to);
            above = message.up_to;
            text += fmt::format(
                "  up to {:<8} {:<20} {:>6}   {:<9}{}\n",
                message.up_to == bcast::no_limit ? "max" : format_size(message.up_to), measured_name(message),
                message.segment_bytes == 0 ? "-" : format_size(message.segment_bytes), name_of(message.grounds), gain);
        }
    }
    return text;
}

nlohmann::ordered_json tuned_rows_json(const DecisionTable& table) {
    auto rows = nlohmann::ordered_json::array();
    for (const Rule& rule : table.rules) {
        for (const MessageRule& message : rule.messages) {
            nlohmann::ordered_json row = {
                {"machines", range_text(rule.machines_from, rule.machines_to)},
                {"ranks_per_machine", range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to)},
                {"arrival", bcast::name_of(rule.arrival)},
                {"up_to", nullptr},
                {"algorithm", name_of(message)},
                {"segment_bytes", message.segment_bytes},
                {"grounds", name_of(message.grounds)}};
            if (message.hand_on != bcast::HandOn::messages) row["hand_on"] = bcast::name_of(message.hand_on);
            if (message.up_to != bcast::no_limit) row["up_to"] = message.up_to;
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

std::string savings_text(const std::vector<Saving>& savings, const Workload& workload) {
    if (workload.jobs == 0) return "";
    const auto seconds = [](double value) { return time_text(1e6 * value); };
    std::string text =
        fmt::format("{}, in which a rank spent {} in broadcasts; of that the table saves, against the MPI's own:\n",
                    counted(workload.jobs, "job", "jobs"), seconds(workload.seconds));
    text += fmt::format("  {:>8} {:>6} {:>10} {:>10} {:>10} {:>10}  {:>10}\n", "machines", "ranks", "message",
                        "broadcasts", "MPI's own", "tuned", "saved");
    for (const Saving& one : savings) {
        text += fmt::format("  {:>8} {:>6} {:>10} {:>10.0f} {:>10} {:>10}  {:>10}\n", one.cell.machines,
                            one.cell.ranks_per_machine * one.cell.machines, format_size(one.cell.message_bytes),
                            one.cell.broadcasts, time_text(one.native_us), time_text(one.chosen_us),
                            seconds(one.saved.likely));
    }
    const Seconds sum = sum_of(savings);
    return text + fmt::format("  saved in all {} ({} to {}), {} a job\n", seconds(sum.likely), seconds(sum.low),
                              seconds(sum.high), seconds(sum.likely / static_cast<double>(workload.jobs)));
}

nlohmann::ordered_json savings_json(const std::vector<Saving>& savings) {
    auto rows = nlohmann::ordered_json::array();
    for (const Saving& one : savings) {
        rows.push_back({{"machines", one.cell.machines},
                        {"ranks_per_machine", one.cell.ranks_per_machine},
                        {"message_bytes", one.cell.message_bytes},
                        {"broadcasts", one.cell.broadcasts},
                        {"native_us", one.native_us},
                        {"tuned_us", one.chosen_us},
                        {"saved_s", one.saved.likely},
                        {"saved_s_low", one.saved.low},
                        {"saved_s_high", one.saved.high}});
    }
    return rows;
}

}  // namespace bcastgen
