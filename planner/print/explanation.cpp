#include "planner/print/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/wording.hpp"
#include "bcast/facts/decision.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/plan_options.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

/// What is asked about, and what predictions for it rest on.
struct Case {
    const Network& network;
    std::vector<int> machines;
    int root = 0;
    std::size_t bytes = 0;
    int ranks_per_machine = 1;
    StartUp start_up;
};

Plan plan_of(const Case& asked, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = asked.root;
    request.machines = asked.machines;
    return make_plan(asked.network, request);
}

/// Once through every link, the slowest port's time counting, if no datagram gets lost.
double multicast_s(const Case& asked) {
    double slowest_Bps = reference_bandwidth_Bps(asked.network, asked.machines);
    for (const int machine : asked.machines) {
        const LinkSpeed& port = asked.network.machines[static_cast<std::size_t>(machine)].port;
        slowest_Bps = std::min(slowest_Bps, port.bandwidth_Bps);
    }
    return asked.start_up.overhead_s + asked.start_up.latency_s + static_cast<double>(asked.bytes) / slowest_Bps;
}

/// Nothing for algorithms without a tree, whose times have no formula here.
std::optional<double> predicted_s(const Case& asked, bcast::Algorithm algorithm, std::size_t segment_bytes) {
    if (bcast::is_multicast(algorithm)) return multicast_s(asked);
    if (!bcast::uses_trees(algorithm)) return std::nullopt;
    const Plan plan = plan_of(asked, algorithm);
    if (segment_bytes == 0 && plan.trees.size() == 1) {
        return whole_time_s(whole_tree(asked.network, plan), asked.start_up.overhead_s + asked.start_up.latency_s,
                            asked.bytes);
    }
    return pipelined_time_s(cost_of(plan), asked.start_up, reference_bandwidth_Bps(asked.network, asked.machines),
                            asked.bytes, segment_bytes);
}

/// T(m): once between two machines through the fastest port.
double once_s(const Case& asked) {
    return asked.start_up.overhead_s + asked.start_up.latency_s +
           static_cast<double>(asked.bytes) / reference_bandwidth_Bps(asked.network, asked.machines);
}

std::string time_text(double time_s) {
    if (time_s < 1e-3) return fmt::format("{:.3g} us", time_s * 1e6);
    return time_s < 1 ? fmt::format("{:.3g} ms", time_s * 1e3) : fmt::format("{:.3g} s", time_s);
}

std::string choice_text(bcast::Algorithm algorithm, std::size_t segment_bytes) {
    if (bcast::is_native(algorithm)) return "native (the MPI's own broadcast)";
    if (segment_bytes == 0) return fmt::format("{} in one piece", bcast::name_of(algorithm));
    return fmt::format("{} in segments of {}", bcast::name_of(algorithm), size_text(segment_bytes));
}

/// What multicast has to do with the broadcast, if the site has groups.
std::string multicast_line(const Case& asked, bcast::Algorithm chosen) {
    if (!asked.network.multicast) return "";
    const Multicast& multicast = *asked.network.multicast;
    std::string text = fmt::format("  multicast  groups of {}{}", multicast.groups,
                                   multicast.interface.empty() ? "" : " on " + multicast.interface);
    if (bcast::is_multicast(chosen)) {
        const bcast::Choice instead = bcast::Decision::without_multicast(asked.bytes);
        text += "; where they do not work, " + choice_text(instead.algorithm, instead.segment_bytes);
    } else if (asked.bytes <= bcast::try_multicast_bytes &&
               static_cast<int>(asked.machines.size()) >= bcast::try_multicast_machines) {
        text += "; BCASTGEN_MULTICAST=try would use them";
    }
    return text + "\n";
}

std::string sizes_text(const TableRule& row, std::size_t at) {
    const bool first = at == 0;
    const bool last = row.messages[at].up_to == bcast::no_limit;
    if (first && last) return "messages of any size";
    if (last) return fmt::format("messages above {}", size_text(row.messages[at - 1].up_to));
    if (first) return fmt::format("messages up to {}", size_text(row.messages[at].up_to));
    return fmt::format("messages above {} up to {}", size_text(row.messages[at - 1].up_to),
                       size_text(row.messages[at].up_to));
}

std::string rule_lines(const Case& asked, const DecisionTable& table, bool measured, const TableRule& row,
                       std::size_t at) {
    const MessageRule& message = row.messages[at];
    std::string text = fmt::format("  rule       machines: {}; ranks per machine: {}; {}:\n             {}\n",
                                   range_words(row.machines_from, row.machines_to),
                                   range_words(row.ranks_per_machine_from, row.ranks_per_machine_to),
                                   sizes_text(row, at), choice_text(message.algorithm, message.segment_bytes));
    text += fmt::format(
        "  why        the first row of the decision table for {} with {} each, and in it the first rule\n"
        "             that {} is not above; the table is {}\n",
        counted(asked.machines.size(), "machine", "machines"), counted(asked.ranks_per_machine, "rank", "ranks"),
        size_text(asked.bytes), measured ? "measured (" + table.origin + ")" : table.origin);
    if (at > 0) {
        const MessageRule& smaller = row.messages[at - 1];
        text += fmt::format("  below      up to {}: {}\n", size_text(smaller.up_to),
                            choice_text(smaller.algorithm, smaller.segment_bytes));
    }
    if (at + 1 < row.messages.size()) {
        const MessageRule& larger = row.messages[at + 1];
        text += fmt::format("  next       above {}: {}\n", size_text(message.up_to),
                            choice_text(larger.algorithm, larger.segment_bytes));
    } else {
        text += "  next       nothing changes for larger messages\n";
    }
    return text;
}

std::string time_lines(const Case& asked, const MessageRule& chosen) {
    const double once = once_s(asked);
    std::string text = multicast_line(asked, chosen.algorithm);
    text += fmt::format("  T(m)       {}: {} once between two machines, predicted\n", time_text(once),
                        size_text(asked.bytes));
    const std::optional<double> time_s = predicted_s(asked, chosen.algorithm, chosen.segment_bytes);
    if (time_s) {
        text += fmt::format("  predicted  {}, {:.2f} x T(m)\n", time_text(*time_s), *time_s / once);
    } else {
        text += "  predicted  no formula for this algorithm\n";
    }
    constexpr std::size_t segment_bytes = 8192;
    std::vector<std::pair<bcast::Algorithm, std::size_t>> others{{bcast::usual::whole_messages, 0}};
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::is_predicted(row.algorithm)) others.emplace_back(row.algorithm, segment_bytes);
    }
    std::vector<std::pair<double, std::string>> rows;
    for (const auto& [algorithm, segment] : others) {
        if (algorithm == chosen.algorithm) continue;
        const std::size_t bytes = segment < asked.bytes ? segment : 0;
        const double other_s = predicted_s(asked, algorithm, bytes).value_or(0);
        rows.emplace_back(other_s, fmt::format("{}, {:.2f} x T(m): {}", time_text(other_s), other_s / once,
                                               choice_text(algorithm, bytes)));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += fmt::format("  {:<9}  {}\n", i == 0 ? "others" : "", rows[i].second);
    }
    return text;
}

Case case_of(const Network& network, const AskedBroadcast& asked) {
    PlanOptions options;
    options.tree = bcast::usual::chain;
    options.root = asked.root;
    options.machines = asked.machines;
    const Plan linear = make_plan(network, plan_request(network, options));
    return {network,     linear.request.machines, linear.request.root,
            asked.bytes, asked.ranks_per_machine, start_up_of(network, linear)};
}

}  // namespace

std::string explain(const Network& network, const DecisionTable& table, bool measured, const AskedBroadcast& asked) {
    const Case one = case_of(network, asked);
    const std::string& root = network.machines[static_cast<std::size_t>(one.root)].name;
    std::string text = fmt::format("{}: {} from {} to {}, {} each\n", network.name, size_text(one.bytes), root,
                                   counted(one.machines.size(), "machine", "machines"),
                                   counted(one.ranks_per_machine, "rank", "ranks"));
    const auto machines = static_cast<int>(one.machines.size());
    const TableRule* row = row_for(table, machines, one.ranks_per_machine, bcast::Arrival::balanced);
    if (one.machines.size() < 2 || one.bytes == 0 || row == nullptr) {
        const char* why = one.machines.size() < 2 ? "the ranks are all on one machine"
                          : one.bytes == 0        ? "there is nothing to send"
                                                  : "the decision table has no row for so many machines and ranks";
        return text + fmt::format("  rule       native (the MPI's own broadcast): {}\n", why);
    }
    const std::size_t at = message_for(*row, one.bytes);
    const MessageRule& chosen = row->messages[at];
    text += rule_lines(one, table, measured, *row, at) + time_lines(one, chosen);
    if (!bcast::uses_trees(chosen.algorithm)) return text;
    return text + "\n" + plan_text(network, plan_of(one, chosen.algorithm));
}

}  // namespace bcastgen
