#include "codegen/emit/site_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/wording.hpp"
#include "codegen/emit/site_tables.hpp"
#include "planner/print/proof_scope.hpp"

namespace bcastgen {

namespace {

std::string range_of(int least, int most) {
    return least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
}

std::string range_of(double least, double most) {
    return least == most ? fmt::format("{:.4g}", least) : fmt::format("{:.4g} to {:.4g}", least, most);
}

std::string segments_text(std::size_t least, std::size_t most) {
    if (most == 0) return "";
    if (least == most) return fmt::format(" (segment {})", size_text(most));
    if (least == 0) return fmt::format(" (in one piece, then segments up to {})", size_text(most));
    return fmt::format(" (segments {} to {})", size_text(least), size_text(most));
}

/// "  trees          " or as many blanks.
std::string label(std::string_view text, bool first) {
    return fmt::format("  {:<14} ", first ? text : "");
}

std::string proof_text(const Network& network, const SitePlan& site, const SiteProof& proof) {
    const std::string& first = network.machines[static_cast<std::size_t>(site.machines.front())].name;
    if (site.machines.size() == 1) return "none for one machine";
    const std::string scope = proof_scope(network);
    if (!proof.every_switch) return fmt::format("planned at run time; proved contention-free from {}{}", first, scope);
    return "contention-free from every machine" + scope;
}

/// "1 rank", "2-8 ranks", "9 and more ranks", "any number of ranks".
std::string counted_range(int from, int to, const std::string& one) {
    if (from == 1 && to == 1) return "1 " + one;
    const bool any = from == 1 && to == bcast::any_number;
    return range_words(from, to) + (any ? " of " : " ") + one + "s";
}

std::string rule_label(const Rule& rule, bool with_ranks, bool with_arrival) {
    std::string text = counted_range(rule.machines_from, rule.machines_to, "machine");
    if (with_ranks) {
        text += ", " + counted_range(rule.ranks_per_machine_from, rule.ranks_per_machine_to, "rank") + " each";
    }
    if (with_arrival) text += rule.arrival == bcast::Arrival::balanced ? ", balanced" : ", imbalanced";
    return text;
}

/// One line for each rule; what all rules share is left out.
std::string table_text(const DecisionTable& table) {
    const Rule any;
    bool with_ranks = false;
    bool with_arrival = false;
    for (const Rule& rule : table.rules) {
        with_ranks = with_ranks || rule.ranks_per_machine_from != any.ranks_per_machine_from ||
                     rule.ranks_per_machine_to != any.ranks_per_machine_to;
        with_arrival = with_arrival || rule.arrival != any.arrival;
    }
    std::size_t width = 0;
    for (const Rule& rule : table.rules) {
        width = std::max(width, rule_label(rule, with_ranks, with_arrival).size());
    }
    std::string text;
    for (const Rule& rule : table.rules) {
        text += fmt::format("{}{:<{}}  {}\n", label("", false), rule_label(rule, with_ranks, with_arrival), width,
                            thresholds_text(rule.messages));
    }
    return text;
}

}  // namespace

std::string thresholds_text(const std::vector<MessageRule>& messages) {
    std::string text;
    for (std::size_t first = 0, end = 0; first < messages.size(); first = end) {
        std::size_t least = messages[first].segment_bytes;
        std::size_t most = least;
        for (end = first; end < messages.size() && messages[end].algorithm == messages[first].algorithm; ++end) {
            least = std::min(least, messages[end].segment_bytes);
            most = std::max(most, messages[end].segment_bytes);
        }
        const std::size_t up_to = messages[end - 1].up_to;
        const bool only = first == 0 && end == messages.size();
        text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", bcast::name_of(messages[first].algorithm),
                            up_to != bcast::no_limit ? " up to " + size_text(up_to)
                            : only                   ? ""
                                                     : " above",
                            segments_text(least, most));
    }
    return text;
}

std::string site_summary(const Network& network, const SitePlan& site, const SiteProof& proof,
                         const DecisionTable& table) {
    std::string text =
        fmt::format("{}: {} on {}, plan {:016x}\n", network.name, counted(site.machines.size(), "machine", "machines"),
                    counted(network.switches.size(), "switch", "switches"), site.hash);
    text += label("trees", true) + proof_text(network, site, proof) + "\n";
    for (const ProvedTrees& trees : proof.by_algorithm) {
        if (site.machines.size() == 1) break;
        text +=
            fmt::format("{}{:<7} height {}, stage {}\n", label("", false), bcast::name_of(trees.algorithm),
                        range_of(trees.least_height, trees.most_height), range_of(trees.least_stage, trees.most_stage));
    }
    text += label("decision table", true) + table.origin + "\n";
    return text + table_text(table);
}

}  // namespace bcastgen
