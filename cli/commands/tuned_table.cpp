#include "cli/commands/tuned_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "tuner/clusters/kinds.hpp"

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
            text += fmt::format("  up to {:<8} {:<20} {:>6}   {:<9}{}\n",
                                message.up_to == bcast::no_limit ? "max" : format_size(message.up_to),
                                bcast::name_of(message.algorithm),
                                message.segment_bytes == 0 ? "-" : format_size(message.segment_bytes),
                                name_of(message.grounds), gain);
        }
    }
    return text;
}

}  // namespace bcastgen
