#include "planner/print/explanation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "bcast/facts/decision.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

std::string choice_text(const bcast::Choice& choice) {
    if (bcast::is_native(choice.algorithm)) return "native (the MPI's own broadcast)";
    const std::string pieces =
        choice.segment_bytes == 0 ? "in one piece" : "in segments of " + size_text(choice.segment_bytes);
    const std::string within = choice.hand_on == bcast::HandOn::messages
                                   ? ""
                                   : fmt::format(", by {} within machines", bcast::name_of(choice.hand_on));
    return fmt::format("{} {}{}", bcast::name_of(choice.algorithm), pieces, within);
}

const char* grounds_text(Grounds grounds) {
    switch (grounds) {
        case Grounds::measured:
            return ", as measured";
        case Grounds::predicted:
            return ", as predicted: there was no time to measure it";
        case Grounds::no_time:
            return ": there was no time to measure what may be quicker";
        case Grounds::unknown:
            break;
    }
    return "";
}

std::string choice_text(const MessageRule& message) {
    return choice_text(message.choice()) + grounds_text(message.grounds);
}

std::string broadcast_text(const Network& network, const AskedBroadcast& asked) {
    return fmt::format("{}: {} from {} to {}, {} each\n", network.name, size_text(asked.bytes),
                       network.machines[static_cast<std::size_t>(asked.plan.root)].name,
                       counted(asked.plan.machines.size(), "machine", "machines"),
                       counted(asked.ranks_per_machine, "rank", "ranks"));
}

/// Why the broadcast is native without a rule that says so.
const char* why_native(const Explanation& explained) {
    const AskedBroadcast& asked = explained.asked;
    const bool one_machine = asked.plan.machines.size() < 2;
    if (one_machine && asked.ranks_per_machine < 2) return "there is one rank";
    switch (explained.answer.reason) {
        case bcast::Reason::no_bytes:
            return "there is nothing to send";
        case bcast::Reason::above_every_rule:
            return "the message is larger than every rule of the decision table's row";
        default:
            return one_machine ? "the decision table has no row for ranks that are all on one machine"
                               : "the decision table has no row for so many machines and ranks";
    }
}

std::string row_text(const Rule& row) {
    return fmt::format("machines: {}; ranks per machine: {}", range_words(row.machines_from, row.machines_to),
                       range_words(row.ranks_per_machine_from, row.ranks_per_machine_to));
}

std::string sizes_text(const Rule& row, std::size_t at) {
    const bool first = at == 0;
    const bool last = row.messages[at].up_to == bcast::no_limit;
    if (first && last) return "messages of any size";
    if (last) return fmt::format("messages above {}", size_text(row.messages[at - 1].up_to));
    if (first) return fmt::format("messages up to {}", size_text(row.messages[at].up_to));
    return fmt::format("messages above {} up to {}", size_text(row.messages[at - 1].up_to),
                       size_text(row.messages[at].up_to));
}

/// The row where arrivals are imbalanced and it knows balanced ones only.
std::string untuned_lines(const Explanation& explained) {
    return fmt::format(
        "  rule       {}\n  why        arrivals are imbalanced, and the row is for balanced ones:\n             {}\n",
        choice_text(explained.answer.choice), row_text(*explained.answer.row));
}

std::string rule_lines(const Explanation& explained, const DecisionTable& table, bool measured) {
    const AskedBroadcast& asked = explained.asked;
    const Rule& row = *explained.answer.row;
    const auto found = std::find_if(row.messages.begin(), row.messages.end(),
                                    [&](const MessageRule& one) { return &one == explained.answer.message; });
    const MessageRule& message = *found;
    const auto at = static_cast<std::size_t>(found - row.messages.begin());
    std::string text = fmt::format("  rule       {}; {}:\n             {}\n", row_text(row), sizes_text(row, at),
                                   choice_text(message));
    if (explained.answer.reason == bcast::Reason::no_multicast) {
        text += fmt::format("  instead    {}: {}\n", choice_text(explained.answer.choice),
                            asked.bytes > bcast::most_multicast_bytes ? "the message is too large for multicast"
                            : asked.plan.machines.size() < 2          ? "there is one machine"
                                                                      : "the topology has no multicast groups");
    }
    text += fmt::format(
        "  why        the first row of the decision table for {} with {} each, and in it the first rule\n"
        "             that {} is not above; the table is {}\n",
        counted(asked.plan.machines.size(), "machine", "machines"), counted(asked.ranks_per_machine, "rank", "ranks"),
        size_text(asked.bytes), measured ? "measured (" + table.origin + ")" : table.origin);
    if (at > 0) {
        const MessageRule& smaller = row.messages[at - 1];
        text += fmt::format("  below      up to {}: {}\n", size_text(smaller.up_to), choice_text(smaller));
    }
    if (at + 1 < row.messages.size()) {
        text += fmt::format("  next       above {}: {}\n", size_text(message.up_to), choice_text(row.messages[at + 1]));
    } else {
        text += "  next       nothing changes for larger messages\n";
    }
    return text;
}

/// What multicast has to do with the broadcast, if the site has groups.
std::string multicast_line(const Network& network, const Explanation& explained) {
    if (!network.multicast) return "";
    const Multicast& multicast = *network.multicast;
    std::string text = fmt::format("  multicast  groups of {}{}", multicast.groups,
                                   multicast.interface.empty() ? "" : " on " + multicast.interface);
    const std::size_t bytes = explained.asked.bytes;
    if (bcast::is_multicast(explained.answer.choice.algorithm)) {
        text += "; where they do not work, " + choice_text(bcast::without_multicast(bytes));
    } else if (bytes <= bcast::try_multicast_bytes &&
               static_cast<int>(explained.asked.plan.machines.size()) >= bcast::try_multicast_machines) {
        text += "; BCASTGEN_MULTICAST=try would use them";
    }
    return text + "\n";
}

/// "2.38 ms, 1.64 x T(m)" and where that goes.
std::string price_text(const Explanation& explained, const Price& price) {
    std::string text =
        fmt::format("{}{}, {:.2f} x T(m): {}", price.lower_bound ? "at least " : "", time_text(1e6 * price.time_s),
                    price.time_s / explained.once_s, choice_text(bcast::Choice{price.algorithm, price.segment_bytes}));
    std::string parts;
    for (const auto& [name, time_s] :
         {std::pair{"fill", price.fill_s()}, std::pair{"steady state", price.steady_s},
          std::pair{"latency", price.latency_s}, std::pair{"software", price.software_s}}) {
        constexpr double nothing_s = 1e-9;
        if (time_s < nothing_s) continue;
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, time_text(1e6 * time_s));
    }
    text += (parts.empty() ? "" : fmt::format("\n             = {}", parts)) + "\n";
    const std::optional<double> simulated_s = explained.simulated_s({price.algorithm, price.segment_bytes});
    if (!simulated_s) return text;
    return text + fmt::format("             simulated {}: the price is {:.2f} of it\n", time_text(1e6 * *simulated_s),
                              price.time_s / *simulated_s);
}

/// Of a choice without a price.
std::string no_price_text(const Explanation& explained) {
    std::string text = "no schedule to price this algorithm by\n";
    if (const std::optional<double> simulated_s = explained.simulated_s(explained.answer.choice)) {
        text += fmt::format("             simulated {}, {:.2f} x T(m)\n", time_text(1e6 * *simulated_s),
                            *simulated_s / explained.once_s);
    }
    return text;
}

std::string time_lines(const Network& network, const Explanation& explained) {
    std::string text = multicast_line(network, explained);
    text += fmt::format("  T(m)       {}: {} once between two machines, predicted\n", time_text(1e6 * explained.once_s),
                        size_text(explained.asked.bytes));
    text += fmt::format("  floor      {}, {:.2f} x T(m): no broadcast to {} can be quicker\n",
                        time_text(1e6 * explained.floor_s), explained.floor_s / explained.once_s,
                        counted(explained.asked.plan.machines.size(), "machine", "machines"));
    text += "  predicted  " +
            (explained.predicted ? price_text(explained, *explained.predicted) : no_price_text(explained));
    for (std::size_t i = 0; i < explained.others.size(); ++i) {
        text += fmt::format("  {:<9}  {}", i == 0 ? "others" : "", price_text(explained, explained.others[i]));
    }
    if (!explained.simulated.empty()) {
        text += fmt::format("  check      on the simulated cluster, network {}\n", explained.simulated_network);
    }
    return text;
}

}  // namespace

std::string explanation_text(const Network& network, const DecisionTable& table, bool measured,
                             const Explanation& explained) {
    std::string text = broadcast_text(network, explained.asked);
    const bool untuned = explained.answer.reason == bcast::Reason::untuned_arrivals;
    if (!untuned && (explained.answer.message == nullptr || explained.answer.reason == bcast::Reason::no_bytes)) {
        return text + fmt::format("  rule       native (the MPI's own broadcast): {}\n", why_native(explained));
    }
    text += untuned ? untuned_lines(explained) : rule_lines(explained, table, measured);
    if (explained.needs_no_plan()) return text + "  times      not predicted within one machine\n";
    text += time_lines(network, explained);
    return explained.plan ? text + "\n" + plan_text(network, *explained.plan) : text;
}

}  // namespace bcastgen
