// What a decision table says, told a second time from docs/formats.md and in another way than
// templates/bcast/facts/decision_table.hpp does: for tests to hold the one look-up against.
#pragma once

#include <algorithm>
#include <vector>

#include "planner/decision/decision_table.hpp"

namespace bcastgen::testing {

inline std::vector<Rule> rows_that_fit(const std::vector<Rule>& rows, int machines, int ranks, bcast::Arrival arrival) {
    std::vector<Rule> fit;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(fit), [&](const Rule& row) {
        const bool too_few = machines < row.machines_from || ranks < row.ranks_per_machine_from;
        const bool too_many = machines > row.machines_to || ranks > row.ranks_per_machine_to;
        return row.arrival == arrival && !too_few && !too_many;
    });
    return fit;
}

inline bcast::Choice modelled_choice(const std::vector<Rule>& rows, const bcast::Question& asked) {
    constexpr std::size_t kibi = 1024;
    const auto without_groups = [&](bcast::Choice choice) {
        const bool can = asked.multicast && asked.machines >= 2 && asked.bytes <= kibi * kibi * kibi;
        if (choice.algorithm != bcast::Algorithm::multicast || can) return choice;
        return asked.bytes > 16 * kibi ? bcast::Choice{bcast::Algorithm::two_tree, 8 * kibi}
                                       : bcast::Choice{bcast::Algorithm::latency, 0};
    };
    if (asked.bytes == 0) return {};
    std::vector<Rule> fit = rows_that_fit(rows, asked.machines, asked.ranks_per_machine, asked.arrival);
    if (fit.empty() && asked.arrival == bcast::Arrival::imbalanced) {
        fit = rows_that_fit(rows, asked.machines, asked.ranks_per_machine, bcast::Arrival::balanced);
        if (!fit.empty() && asked.machines >= 3 && asked.bytes >= 64 * kibi) {
            return {bcast::Algorithm::arrival_live, 8 * kibi};
        }
    }
    if (fit.empty()) return {};
    const std::vector<MessageRule>& messages = fit.front().messages;
    // Rules grow: as many are too small as there are below the message.
    const auto too_small = std::count_if(messages.begin(), messages.end(),
                                         [&](const MessageRule& one) { return one.up_to < asked.bytes; });
    if (too_small == static_cast<std::ptrdiff_t>(messages.size())) return {};
    const MessageRule& rule = messages[static_cast<std::size_t>(too_small)];
    return without_groups({rule.algorithm, rule.segment_bytes});
}

}  // namespace bcastgen::testing
