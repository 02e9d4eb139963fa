// The sections of a topology file about links between switches.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/topology/topology_reader.hpp"

namespace bcastgen {

namespace {

std::vector<std::string> switch_names(const Network& network, const std::vector<int>& switches) {
    std::vector<std::string> names;
    for (const int sw : switches) names.push_back(network.switches[static_cast<std::size_t>(sw)].name);
    return names;
}

// "s0 - s1 - s2", a long one cut in the middle.
std::string path_text(const std::vector<std::string>& names) {
    constexpr std::size_t most_at_an_end = 5;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) text += " - ";
        if (i == most_at_an_end && names.size() > 2 * most_at_an_end + 1) {
            text += fmt::format("… {} more …", names.size() - 2 * most_at_an_end);
            i = names.size() - most_at_an_end - 1;
        } else {
            text += names[i];
        }
    }
    return text;
}

// A name for an assumed switch.
std::string new_switch(const TopologyReader& reader) {
    std::string name = "top";
    while (reader.switch_index.contains(name) || reader.machine_index.contains(name)) name += "-above";
    return name;
}

std::optional<int> find_switch(TopologyReader& reader, const YamlNode* node) {
    const std::optional<std::string> name = read_scalar(reader.source, node, "the name of a switch");
    if (!name) return std::nullopt;
    const auto known = reader.switch_index.find(*name);
    if (known != reader.switch_index.end()) return known->second;
    if (reader.machine_index.contains(*name)) {
        reader.source.error(*node, fmt::format("{} is a machine; links join switches, and a machine's own link is "
                                               "described under machines",
                                               *name));
        return std::nullopt;
    }
    std::string advice;
    if (reader.suggestions_left > 0) {
        --reader.suggestions_left;
        std::vector<std::string> names;
        for (const Switch& sw : reader.network.switches) names.push_back(sw.name);
        advice = did_you_mean(*name, names);
    }
    reader.source.error(*node, fmt::format("there is no switch {}{}", in_quotes(*name), advice));
    return std::nullopt;
}

// The two ends of a link, or nothing (reported) unless it names two known switches.
std::optional<std::pair<int, int>> read_ends(TopologyReader& reader, const YamlNode& link, const YamlFields& fields) {
    const YamlNode* between = fields["between"];
    if (between == nullptr) {
        const bool readable = link.kind == YamlNode::Kind::map || link.kind == YamlNode::Kind::nothing;
        if (readable && fields.lacks("between")) {
            reader.source.error(link, "a link needs between: the two switches that it joins, like [s0, s1]");
        }
        return std::nullopt;
    }
    if (between->kind != YamlNode::Kind::list || between->items.size() != 2) {
        reader.source.error(*between, "between takes the two switches that the link joins, like [s0, s1]");
        return std::nullopt;
    }
    const std::optional<int> a = find_switch(reader, between->items[0]);
    const std::optional<int> b = find_switch(reader, between->items[1]);
    if (!a || !b) return std::nullopt;
    return std::pair(*a, *b);
}

}  // namespace

void read_links(TopologyReader& reader, const YamlNode* node) {
    YamlSource& source = reader.source;
    std::map<std::pair<int, int>, Place> joined;
    for (const YamlNode* item : list_items(source, node, "links")) {
        const YamlFields fields(source, item, "a link", {"between", "bandwidth", "latency", "cables"});
        Trunk trunk;
        trunk.speed = reader.default_speed;
        read_speed(source, fields, trunk.speed);
        trunk.cables = read_count(source, fields["cables"], "cables", 1, most_cables).value_or(1);
        const auto ends = read_ends(reader, *item, fields);
        if (!ends) {
            ++reader.refused_links;
            continue;
        }
        std::tie(trunk.a, trunk.b) = *ends;
        if (trunk.a == trunk.b) {
            const YamlNode& second = *fields["between"]->items[1];
            source.error(second, fmt::format("a link of switch {} to itself", second.text));
            continue;
        }
        const auto [first, is_new] = joined.emplace(std::minmax(trunk.a, trunk.b), item->place);
        if (!is_new) {
            const std::vector<std::string> names = switch_names(reader.network, {trunk.a, trunk.b});
            source.error(*item, fmt::format("{} and {} are linked already (line {}); parallel cables are one link with "
                                            "cables: N",
                                            names[0], names[1], first->second.line));
            continue;
        }
        reader.trunk_places.push_back(item->place);
        reader.network.trunks.push_back(trunk);
    }
}

void read_spanning_tree(TopologyReader& reader, const YamlNode* node) {
    const std::optional<std::string> text = read_scalar(reader.source, node, "auto, stp or none");
    if (!text) return;
    for (const SpanningTree rule : {SpanningTree::automatic, SpanningTree::stp, SpanningTree::none}) {
        if (name_of(rule) != *text) continue;
        reader.network.spanning_tree = rule;
        return;
    }
    reader.source.error(*node, fmt::format("spanning_tree is auto (the widest), stp (802.1D) or none (cycles are "
                                           "errors), not {}",
                                           in_quotes(*text)));
}

void check_shape(TopologyReader& reader) {
    const Network& network = reader.network;
    const std::vector<std::vector<int>> pieces = pieces_of(network);
    if (pieces.size() > 1 + reader.refused_links) {
        constexpr std::size_t most_shown = 8;
        std::string list;
        for (std::size_t piece = 0; piece < pieces.size() && piece < most_shown; ++piece) {
            list +=
                fmt::format("{}{{{}}}", piece == 0 ? "" : ", ", fold_hostlist(switch_names(network, pieces[piece])));
        }
        if (pieces.size() > most_shown) list += fmt::format(" and {} more", pieces.size() - most_shown);
        const auto second = static_cast<std::size_t>(pieces[1].front());
        const auto first_of = [&](std::size_t piece) { return switch_names(network, {pieces[piece].front()})[0]; };
        reader.source.error(
            reader.switch_places[second],
            fmt::format("the network is in {} pieces that no link joins: {}; if you do not know what joins them, add a "
                        "switch ({}:) and links ({{between: [{}, {}]}}, {{between: [{}, {}]}}{}), or let bcastgen "
                        "discover measure it",
                        pieces.size(), list, new_switch(reader), new_switch(reader), first_of(0), new_switch(reader),
                        first_of(1), pieces.size() > 2 ? ", …" : ""));
    }
    if (network.spanning_tree != SpanningTree::none) return;
    for (const Cycle& cycle : cycles_of(network, most_shown_errors)) {
        std::string path;
        if (!cycle.switches.empty()) {
            path = path_text(switch_names(network, cycle.switches)) + " - " +
                   network.switches[static_cast<std::size_t>(cycle.switches.front())].name;
        }
        reader.source.error(reader.trunk_places[static_cast<std::size_t>(cycle.trunk)],
                            fmt::format("this link closes the cycle {}, and spanning_tree: none forbids cycles", path));
    }
}

}  // namespace bcastgen
