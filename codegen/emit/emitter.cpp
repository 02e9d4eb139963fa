#include "codegen/emit/emitter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <map>
#include <sstream>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/wording.hpp"
#include "codegen/emit/embedded_templates.hpp"
#include "codegen/emit/site_tables.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/print/tree_drawing.hpp"

namespace bcastgen {

namespace {

using kainjow::mustache::data;
using kainjow::mustache::mustache;

constexpr int largest_picture = 16;  // machines

std::string times(double count) {
    return count == 1 ? "once" : fmt::format("{:g} times", count);
}

/// Emitted code is plain ASCII.
std::string ascii(std::string text) {
    const std::pair<std::string_view, std::string_view> replacements[] = {{"→", "->"}, {"├", "+"}, {"└", "\\"},
                                                                          {"│", "|"},  {"─", "-"}, {"…", "..."}};
    for (const auto& [from, to] : replacements) {
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
            text.replace(at, from.size(), to);
        }
    }
    return text;
}

/// Text from outside in a comment or a README: on one line, in plain characters, ending in none that joins lines.
std::string in_comment(const std::string& text) {
    constexpr std::size_t longest = 110;  // so that a line holds it
    std::string result;
    for (const char c : text.substr(0, longest)) result += c >= ' ' && c <= '~' && c != '\\' && c != '`' ? c : '?';
    return result;
}

/// A tree drawn in comment lines: machines left, the switches that each send passes right.
std::string picture(const Network& network, const bcast::Order& order, const bcast::Tree& tree) {
    constexpr std::string_view gap = "   ";  // what draw_tree puts, at least, between the two columns
    std::vector<std::pair<std::string, std::string>> rows;
    std::size_t width = 0;
    std::istringstream lines(draw_tree(network, order, tree, 2 * largest_picture));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.rfind(gap);
        rows.emplace_back(ascii(line.substr(0, line.find_last_not_of(' ', at) + 1)),
                          ascii(line.substr(at + gap.size())));
        width = std::max(width, rows.back().first.size());
    }
    std::string text = "//\n";
    for (const auto& [machines, switches] : rows) text += fmt::format("//   {:<{}}   {}\n", machines, width, switches);
    return text;
}

/// "height 4, fan-out 2"; of a pair "half the message each: heights 4 and 5, fan-out 2".
std::string shape_text(const Plan& plan) {
    const bcast::Tree& first = plan.trees.front().tree;
    if (plan.trees.size() == 1) return fmt::format("height {}, fan-out {}", height_of(first), fanout(first));
    const bcast::Tree& second = plan.trees.back().tree;
    return fmt::format("half the message each: heights {} and {}, fan-out {}", height_of(first), height_of(second),
                       std::max(fanout(first), fanout(second)));
}

/// Of scatter-ring and its like: what goes round with one rank on each machine.
std::string ring_comment(const Network& network, const SitePlan& site, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = site.machines.front();
    const Plan plan = make_plan(network, request);
    return fmt::format(
        "// {} over the order of {}, one rank each:\n"
        "// a scatter of {}, then {} transfers of 1/{} of the message round the ring.\n",
        bcast::name_of(algorithm), counted(site.machines.size(), "machine", "machines"), shape_text(plan),
        plan.ring_transfers, site.machines.size());
}

/// Of broadcasts in rounds.
std::string rounds_comment(const Network& network, const SitePlan& site, bcast::Algorithm algorithm) {
    PlanRequest request = request_of(algorithm);
    request.root = site.machines.front();
    const Plan plan = make_plan(network, request);
    return fmt::format(
        "// {} over the order of {}:\n"
        "// in each round every machine sends one block and receives one; n blocks take n + {} rounds; stage {:.4g}.\n",
        bcast::name_of(algorithm), counted(site.machines.size(), "machine", "machines"), plan.trees.size() - 1,
        plan.stage);
}

/// Of multicast.
std::string multicast_comment(const SitePlan& site, bcast::Algorithm algorithm) {
    return fmt::format("// {} to {}: datagrams to all at once, then down the chain of the order what got lost.\n",
                       bcast::name_of(algorithm), counted(site.machines.size(), "machine", "machines"));
}

/// Of algorithms whose trees depend on who has come.
std::string arrival_comment(const SitePlan& site, bcast::Algorithm algorithm) {
    return fmt::format("// {} among {}: who has come is served along planned trees of those alone.\n",
                       bcast::name_of(algorithm), counted(site.machines.size(), "machine", "machines"));
}

/// Of any algorithm: what its trees are when all machines take part and the root is the first of them.
std::string algorithm_comment(const Network& network, const SitePlan& site, bcast::Algorithm algorithm) {
    if (bcast::is_multicast(algorithm)) return multicast_comment(site, algorithm);
    if (bcast::is_arrival_aware(algorithm)) return arrival_comment(site, algorithm);
    if (bcast::scatters(algorithm)) return ring_comment(network, site, algorithm);
    if (bcast::goes_in_rounds(algorithm)) return rounds_comment(network, site, algorithm);
    PlanRequest request = request_of(algorithm);
    request.root = site.machines.front();
    const Plan plan = make_plan(network, request);
    std::string text =
        fmt::format("// The {}{} of {}, root {}:\n// {}, stage {:.4g}; the message leaves the root {}.\n",
                    bcast::name_of(algorithm), tree_word(plan), counted(site.machines.size(), "machine", "machines"),
                    network.machines[static_cast<std::size_t>(request.root)].name, shape_text(plan), plan.stage,
                    times(root_sends(plan)));
    if (plan.order.size() > largest_picture) return text;
    for (std::size_t i = 0; i < plan.trees.size(); ++i) {
        if (plan.trees.size() > 1) text += fmt::format("//\n// The {} half:\n", i == 0 ? "first" : "second");
        text += picture(network, plan.order, plan.trees[i].tree);
    }
    return text;
}

/// "in one piece", "in segments of 4K, 8K", "in one piece or in segments of 512".
std::string segments_text(const std::vector<std::size_t>& sizes) {
    std::vector<std::string> segments;
    for (const std::size_t bytes : sizes) {
        if (bytes > 0) segments.push_back(size_text(bytes));
    }
    const bool whole = segments.size() < sizes.size();
    if (segments.empty()) return "in one piece";
    return fmt::format("{}in segments of {}", whole ? "in one piece or " : "", fmt::join(segments, ", "));
}

/// What is true of the algorithms that the decision table names, as comments; `choices` are sorted by algorithm.
std::string about_algorithms(const Network& network, const SitePlan& site, const std::vector<MessageRule>& choices) {
    if (choices.empty()) return "// The decision table leaves every message to the MPI's own broadcast.\n\n";
    std::string text = "// What the decision table names; site_tuning.hpp says for which messages.\n";
    for (std::size_t first = 0; first < choices.size();) {
        const bcast::Algorithm algorithm = choices[first].algorithm;
        std::vector<std::size_t> sizes;
        for (; first < choices.size() && choices[first].algorithm == algorithm; ++first) {
            // The same segments are listed again where they are handed on in other ways.
            const std::size_t segment = choices[first].segment_bytes;
            if (sizes.empty() || sizes.back() != segment) sizes.push_back(segment);
        }
        text += fmt::format("\n// {}, {}:\n{}", bcast::name_of(algorithm), segments_text(sizes),
                            algorithm_comment(network, site, algorithm));
    }
    return "// clang-format off\n" + text + "// clang-format on\n\n";
}

/// " (measured)"; nothing of nothing.
std::string in_brackets(const std::string& words) {
    return words.empty() ? "" : " (" + words + ")";
}

/// ", by window within machines"; nothing of messages.
std::string handed_on_text(bcast::HandOn way) {
    return way == bcast::HandOn::messages ? "" : fmt::format(", by {} within machines", bcast::name_of(way));
}

/// The decision table as rows of the README's.
std::string table_rows(const DecisionTable& table) {
    std::string text;
    for (const Rule& rule : table.rules) {
        for (const MessageRule& message : rule.messages) {
            text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", range_text(rule.machines_from, rule.machines_to),
                                range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to),
                                bcast::name_of(rule.arrival), size_text(message.up_to),
                                bcast::name_of(message.algorithm) + in_brackets(name_of(message.grounds)),
                                (message.segment_bytes == 0 ? "-" : size_text(message.segment_bytes)) +
                                    handed_on_text(message.hand_on));
        }
    }
    if (!text.empty()) text.pop_back();
    return text;
}

std::string sends_literal(const bcast::SendTimes& sends) {
    return fmt::format("{{{}, {}, {}, {}}}", sends.overhead_ns, sends.latency_ns, sends.answer_ns, sends.receive_ns);
}

std::string about_trees(const SitePlan& site) {
    if (site.sets.empty()) {
        return "// So big a site's trees are not baked in: the library builds them when a communicator is set up.";
    }
    return "// A tree stands as the parent of each position of its order and each position's turn: how many of its "
           "parent's\n"
           "// other children are sent to before it.";
}

std::string first_machines(const Network& network, const SitePlan& site) {
    std::string text;
    for (std::size_t number = 0; number < std::min<std::size_t>(site.machines.size(), 4); ++number) {
        text += (number == 0 ? "" : ",") + network.machines[static_cast<std::size_t>(site.machines[number])].name;
    }
    return text;
}

data facts_for_templates(const Network& network, const SitePlan& site, const DecisionTable& table,
                         const std::string& command) {
    data facts;
    facts.set("version", BCASTGEN_VERSION);
    facts.set("command", in_comment(command));
    facts.set("site", network.name);
    facts.set("site_literal", quoted(network.name));
    const Multicast multicast = network.multicast.value_or(Multicast{});
    facts.set("multicast_groups", quoted(multicast.groups));
    facts.set("multicast_interface", quoted(multicast.interface));
    facts.set("machines", counted(site.machines.size(), "machine", "machines"));
    facts.set("switches", counted(network.switches.size(), "switch", "switches"));
    facts.set("switch_count", std::to_string(network.switches.size()));
    facts.set("plan_hash", fmt::format("{:016x}", site.hash));
    facts.set("tuning_hash", fmt::format("{:016x}", hash_of(table)));
    facts.set("origin", in_comment(table.origin));
    facts.set("trees", about_trees(site));
    facts.set("machine_tables", machine_tables(network, site));
    facts.set("tree_tables", tree_tables(network, site));
    facts.set("rule_tables", rule_tables(table));
    facts.set("sends_origin", table.sends.latency_ns == 0
                                  ? "a send's assumed overhead in ns; latencies are the cables'"
                                  : "a send's overhead, latency, answer and receipt in ns, as measured");
    facts.set("sends", sends_literal(table.sends));
    facts.set("first_machines", first_machines(network, site));
    facts.set("table", table_rows(table));
    facts.set("algorithms", about_algorithms(network, site, choices_of(table)));
    return facts;
}

/// Of the files that are the same for every site, as they stand in templates/, and of this version of bcastgen.
std::uint64_t hash_of_code() {
    Hash hash;
    hash.add(BCASTGEN_VERSION);
    for (const EmbeddedFile& embedded : embedded_templates()) {
        if (!embedded.name.starts_with("bcast/")) continue;
        hash.add(embedded.name);
        hash.add(embedded.text);
    }
    return hash.value();
}

/// `text`, which must hold `old`, with `fresh` in its place.
std::string with(std::string_view text, std::string_view old, std::string_view fresh) {
    const std::size_t at = text.find(old);
    if (at == std::string_view::npos) throw std::logic_error(fmt::format("no template says \"{}\"", old));
    return fmt::format("{}{}{}", text.substr(0, at), fresh, text.substr(at + old.size()));
}

/// The file that says which code it is, with the hash written in.
std::string with_code_hash(std::string_view text) {
    return with(text, "code_hash = 0;", fmt::format("code_hash = 0x{:016x};", hash_of_code()));
}

}  // namespace

std::vector<EmittedFile> emit_library(const Network& network, const SitePlan& site, const DecisionTable& table,
                                      const std::string& command) {
    const data facts = facts_for_templates(network, site, table, command);
    constexpr std::string_view suffix = ".mustache";
    std::vector<EmittedFile> files;
    for (const EmbeddedFile& embedded : embedded_templates()) {
        if (!embedded.name.ends_with(suffix)) {
            const bool code = embedded.name == "bcast/facts/code.hpp";
            files.push_back(
                {std::string(embedded.name), code ? with_code_hash(embedded.text) : std::string(embedded.text)});
            continue;
        }
        mustache text{std::string(embedded.text)};
        if (!text.is_valid())
            throw std::logic_error(fmt::format("template {}: {}", embedded.name, text.error_message()));
        const std::string_view name = embedded.name.substr(0, embedded.name.size() - suffix.size());
        files.push_back({std::string(name), text.render(facts)});
    }
    return files;
}

std::vector<EmittedFile> with_facts_alone(std::vector<EmittedFile> library) {
    for (EmittedFile& file : library) {
        if (file.path != "mpi_bcast.cpp") continue;
        file.text = with(file.text, "#include \"bcast/library/entry_points.hpp\"", "#include \"bcast/facts/site.hpp\"");
    }
    return library;
}

}  // namespace bcastgen
