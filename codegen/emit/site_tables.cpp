#include "codegen/emit/site_tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/units.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t numbers_per_line = 16;

/// The body of an int table: right-aligned columns, each line ending in the indices it holds.
std::string number_lines(const std::vector<int>& numbers) {
    std::size_t width = 1;
    for (int number : numbers) width = std::max(width, std::to_string(number).size());
    std::string text;
    for (std::size_t first = 0; first < numbers.size(); first += numbers_per_line) {
        const std::size_t end = std::min(first + numbers_per_line, numbers.size());
        text += "   ";
        for (std::size_t i = first; i < end; ++i) text += fmt::format(" {:>{}},", numbers[i], width);
        text += end - first == 1 ? fmt::format("  // {}\n", first) : fmt::format("  // {} to {}\n", first, end - 1);
    }
    return text;
}

std::string number_table(const std::string& name, const std::string& comment, const std::vector<int>& numbers) {
    return fmt::format("// {}\ninline constexpr int {}[] = {{\n{}}};\n", comment, name, number_lines(numbers));
}

const std::string& machine_name(const Network& network, const SitePlan& plan, int number) {
    return network.machines[static_cast<std::size_t>(plan.machines[static_cast<std::size_t>(number)])].name;
}

const std::string& switch_name(const Network& network, int sw) {
    return network.switches[static_cast<std::size_t>(sw)].name;
}

/// The different speeds of links, and which the machines have unless all have the first.
std::string speed_tables(const SitePlan& plan) {
    std::string text = "\n// Speeds of links: bytes per second, nanoseconds of latency.\n";
    text += "inline constexpr bcast::LinkSpeed link_speeds[] = {\n";
    for (std::size_t speed = 0; speed < plan.link_speeds.size(); ++speed) {
        text += fmt::format("    {{{}, {}}},  // {}\n", plan.link_speeds[speed].bandwidth_Bps,
                            plan.link_speeds[speed].latency_ns, speed);
    }
    text += "};\n";
    if (std::count(plan.port_speed.begin(), plan.port_speed.end(), 0) == static_cast<int>(plan.port_speed.size())) {
        return text + "inline constexpr bcast::Span<int> port_speed{};  // the first, for all machines\n";
    }
    return text + number_table("port_speed", "The speed of each machine's port.", plan.port_speed);
}

/// What software takes on each machine beside what the decision table says of sends.
std::string software_tables(const SitePlan& plan) {
    if (plan.more_send_ns.empty()) {
        return "inline constexpr bcast::Span<int> more_send_ns{};  // software costs the same everywhere\n"
               "inline constexpr bcast::Span<int> more_receive_ns{};\n";
    }
    return number_table("more_send_ns", "What a send takes of each machine's processor beside what `sends` says.",
                        plan.more_send_ns) +
           number_table("more_receive_ns", "The same of a receive.", plan.more_receive_ns);
}

/// Tables of one set and one root switch carry these in their names.
std::string suffix(std::size_t set, const BakedRootPlan& root) {
    return fmt::format("set{}_switch{}", set, root.sw);
}

std::string root_tables(const Network& network, const SitePlan& plan, std::size_t set, const BakedRootPlan& root) {
    const std::string where = suffix(set, root);
    std::string text =
        number_table("order_" + where,
                     fmt::format("Root on {} ({} first): the machine at each position.", switch_name(network, root.sw),
                                 machine_name(network, plan, root.order[0])),
                     root.order);
    std::string rows;
    for (const BakedTreePlan& tree : root.trees) {
        const std::string name = fmt::format("{}_{}", identifier_of(tree.algorithm), where);
        text += number_table(
            name + "_parent",
            fmt::format("The {} tree over it: the parent of each position.", bcast::name_of(tree.algorithm)),
            tree.parent);
        text += number_table(name + "_turn", "Each position's turn among its parent's children.", tree.turn);
        rows += fmt::format("    {{bcast::Algorithm::{}, {}_parent, {}_turn}},\n", identifier_of(tree.algorithm), name,
                            name);
    }
    return text + fmt::format("inline constexpr bcast::BakedTree trees_{}[] = {{\n{}}};\n\n", where, rows);
}

std::string end_text(int end) {
    return end == bcast::any_number ? "bcast::any_number" : std::to_string(end);
}

/// "up to 4K"; for the last rule of several "above", for the only one "any size".
std::string limit_words(const Rule& rule, const MessageRule& message) {
    if (message.up_to != bcast::no_limit) return "up to " + size_text(message.up_to);
    return rule.messages.size() == 1 ? "any size" : "above";
}

std::string limit_text(std::size_t bytes) {
    return bytes == bcast::no_limit ? "bcast::no_limit" : std::to_string(bytes);
}

}  // namespace

std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
        result += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return result + "\"";
}

std::string identifier_of(bcast::Algorithm algorithm) {
    std::string identifier = bcast::name_of(algorithm);
    std::replace(identifier.begin(), identifier.end(), '-', '_');
    return identifier;
}

std::string machine_tables(const Network& network, const SitePlan& plan) {
    std::vector<int> by_name(plan.machines.size());
    for (std::size_t number = 0; number < by_name.size(); ++number) by_name[number] = static_cast<int>(number);
    std::sort(by_name.begin(), by_name.end(),
              [&](int a, int b) { return machine_name(network, plan, a) < machine_name(network, plan, b); });
    std::string text = "// Machines by name. Numbers count the machines in depth-first switch order.\n";
    text += "inline constexpr bcast::NamedMachine machine_names[] = {\n";
    for (int number : by_name) {
        const int sw = plan.machine_switch[static_cast<std::size_t>(number)];
        text += fmt::format("    {{{}, {}}},  // on {}\n", quoted(machine_name(network, plan, number)), number,
                            switch_name(network, sw));
    }
    text += "};\n\n";
    text += number_table("machine_switch", "The switch of each machine.", plan.machine_switch);
    text += speed_tables(plan);
    text += software_tables(plan);
    if (plan.switch_links.empty()) {
        return text + "\ninline constexpr bcast::Span<bcast::SwitchPair> switch_links{};  // a single switch\n";
    }
    text +=
        "\n// The switch tree: two switches and the link's speed.\ninline constexpr bcast::SwitchPair switch_links[] = "
        "{\n";
    for (std::size_t link = 0; link < plan.switch_links.size(); ++link) {
        const auto& [a, b] = plan.switch_links[link];
        text += fmt::format("    {{{}, {}, {}}},  // {} - {}\n", a, b, plan.switch_link_speed[link],
                            switch_name(network, a), switch_name(network, b));
    }
    return text + "};\n";
}

std::string tree_tables(const Network& network, const SitePlan& plan) {
    std::string text;
    for (std::size_t set = 0; set < plan.sets.size(); ++set) {
        const BakedSetPlan& baked = plan.sets[set];
        text += baked.name.empty() ? "// ---- All machines ----\n\n"
                                   : fmt::format("// ---- Partition {} ----\n\n", baked.name);
        std::string rows;
        for (const BakedRootPlan& root : baked.roots) {
            text += root_tables(network, plan, set, root);
            const std::string where = suffix(set, root);
            rows += fmt::format("    {{{}, order_{}, trees_{}}},  // {}\n", root.sw, where, where,
                                switch_name(network, root.sw));
        }
        text += fmt::format("inline constexpr bcast::BakedRoot roots_set{}[] = {{\n{}}};\n\n", set, rows);
    }
    if (plan.sets.empty()) return "inline constexpr bcast::Span<bcast::BakedSet> baked_sets{};  // none\n";
    text += "inline constexpr bcast::BakedSet baked_sets[] = {\n";
    for (std::size_t set = 0; set < plan.sets.size(); ++set) {
        const std::string name = plan.sets[set].name.empty() ? "all machines" : "partition " + plan.sets[set].name;
        text += fmt::format("    {{{}, roots_set{}}},\n", quoted(name), set);
    }
    return text + "};\n";
}

std::string rule_tables(const DecisionTable& table) {
    std::string text;
    std::string rows;
    for (std::size_t i = 0; i < table.rules.size(); ++i) {
        const Rule& rule = table.rules[i];
        text += fmt::format(
            "// Machines: {}. Ranks per machine: {}. Arrival: {}.\n", range_words(rule.machines_from, rule.machines_to),
            range_words(rule.ranks_per_machine_from, rule.ranks_per_machine_to), bcast::name_of(rule.arrival));
        text += fmt::format("inline constexpr bcast::MessageRule messages_{}[] = {{\n", i);
        for (const MessageRule& message : rule.messages) {
            const std::string because = name_of(message.grounds);
            const bool by_messages = message.hand_on == bcast::HandOn::messages;
            text += fmt::format("    {{{}, bcast::Algorithm::{}, {}{}}},  // {}{}\n", limit_text(message.up_to),
                                identifier_of(message.algorithm), message.segment_bytes,
                                by_messages ? "" : fmt::format(", bcast::HandOn::{}", bcast::name_of(message.hand_on)),
                                limit_words(rule, message), because.empty() ? "" : ", " + because);
        }
        text += "};\n";
        rows += fmt::format("    {{{}, {}, {}, {}, bcast::Arrival::{}, messages_{}}},\n", rule.machines_from,
                            end_text(rule.machines_to), rule.ranks_per_machine_from,
                            end_text(rule.ranks_per_machine_to), bcast::name_of(rule.arrival), i);
    }
    return text + fmt::format("\ninline constexpr bcast::Rule rules[] = {{\n{}}};\n", rows);
}

}  // namespace bcastgen
