#include "planner/topology/topology_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/hostlist.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t line_width = 110;

using SpeedKey = std::pair<double, double>;  // bandwidth, latency

SpeedKey key_of(const LinkSpeed& speed) {
    return {speed.bandwidth_Bps, speed.latency_s};
}

template <class Key>
Key commonest(const std::map<Key, std::size_t>& counts, Key otherwise) {
    if (counts.empty()) return otherwise;
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
}

struct Defaults {
    LinkSpeed speed;
    int cores = 1;
    std::optional<Software> software;
};

/// The commonest one, if there is no machine of which none is described: that could not be said beside a default.
std::optional<Software> default_software(const Network& network) {
    std::map<Software, std::size_t> counts;
    for (const Machine& machine : network.machines) {
        if (!machine.software) return std::nullopt;
        ++counts[*machine.software];
    }
    if (counts.empty()) return std::nullopt;
    return commonest(counts, Software{});
}

Defaults defaults_of(const Network& network) {
    std::map<SpeedKey, std::size_t> speeds;
    std::map<int, std::size_t> cores;
    for (const Machine& machine : network.machines) ++speeds[key_of(machine.port)], ++cores[machine.cores];
    for (const Trunk& trunk : network.trunks) ++speeds[key_of(trunk.speed)];
    const SpeedKey speed = commonest(speeds, SpeedKey{1e9 / 8, 20e-6});
    return {{speed.first, speed.second}, commonest(cores, 1), default_software(network)};
}

/// A name as a YAML key or value: plain, except those that YAML reads as null.
std::string yaml_key(const std::string& name) {
    return name == "null" || name == "Null" || name == "NULL" ? "\"" + name + "\"" : name;
}

/// "bandwidth: 10Gbit/s, latency: 5us", as far as they differ from the defaults.
std::string speed_fields(const LinkSpeed& speed, const LinkSpeed& usual) {
    std::string text;
    if (speed.bandwidth_Bps != usual.bandwidth_Bps) {
        text = "bandwidth: " + format_bandwidth(speed.bandwidth_Bps);
    }
    if (speed.latency_s != usual.latency_s) {
        text += (text.empty() ? "" : ", ") + ("latency: " + format_latency(speed.latency_s));
    }
    return text;
}

/// "send: 400ns, copy: {latency: 300ns}", as far as they differ from the defaults; without defaults all of it.
std::string software_fields(const Software& software, const std::optional<Software>& usual) {
    std::vector<std::string> fields;
    const auto add = [&](const char* name, double Software::*cost) {
        if (usual && software.*cost == (*usual).*cost) return;
        fields.push_back(fmt::format("{}: {}", name, format_latency(software.*cost)));
    };
    add("send", &Software::send_s);
    add("receive", &Software::receive_s);
    add("per_byte", &Software::per_byte_s);
    const LinkSpeed no_copy;
    const std::string copy =
        speed_fields({software.copy_bandwidth_Bps, software.copy_latency_s},
                     usual ? LinkSpeed{usual->copy_bandwidth_Bps, usual->copy_latency_s} : no_copy);
    if (!copy.empty()) fields.push_back(fmt::format("copy: {{{}}}", copy));
    return fmt::format("{}", fmt::join(fields, ", "));
}

/// Text that is too long for a line goes on in the next ones. Whatever it quotes, it stays a comment.
std::string comment(const std::string& remark, const std::string& indent = "") {
    const std::string text = printable_columns(remark);
    std::string lines;
    std::string line = indent + "#";
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        if (line.size() > indent.size() + 1 && line.size() + 1 + end - at > line_width) {
            lines += line + "\n";
            line = indent + "#  ";
        }
        line += " " + text.substr(at, end - at);
        at = end + 1;
    }
    return lines + line + "\n";
}

/// A hostlist as a quoted text, a long one as a list of such texts over several lines.
std::string hostlist_value(const std::vector<std::string>& names, std::size_t column) {
    const std::string folded = fold_hostlist(names);
    if (column + folded.size() + 2 <= line_width) return fmt::format("\"{}\"", folded);
    std::string text = "[";
    std::size_t width = column + 1;
    for (const HostlistItem& item : hostlist_items(folded)) {
        if (text.size() > 1) {
            text += ",";
            if (width + item.text.size() + 4 > line_width) {
                text += "\n" + std::string(column, ' ');
                width = column;
            }
            text += " ";
        }
        text += fmt::format("\"{}\"", item.text);
        width += item.text.size() + 4;
    }
    return text + "]";
}

/// The comments above the line of the switch, trunk or machine `index`.
std::string remarks_on(const std::map<int, std::vector<std::string>>& remarks, std::size_t index) {
    const auto found = remarks.find(static_cast<int>(index));
    std::string text;
    if (found == remarks.end()) return text;
    for (const std::string& remark : found->second) text += comment(remark, "  ");
    return text;
}

std::string switches_text(const Network& network, const TopologyRemarks& remarks) {
    const std::vector<std::vector<std::string>> machines = machine_names_by_switch(network);
    std::string text = "switches:\n";
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) {
        const Switch& one = network.switches[sw];
        std::string fields;
        if (!machines[sw].empty()) fields = "machines: " + hostlist_value(machines[sw], one.name.size() + 15);
        if (one.priority != default_priority) {
            fields += fmt::format("{}priority: {}", fields.empty() ? "" : ", ", one.priority);
        }
        text += remarks_on(remarks.switches, sw);
        text += fields.empty() ? fmt::format("  {}:\n", yaml_key(one.name))
                               : fmt::format("  {}: {{{}}}\n", yaml_key(one.name), fields);
    }
    return text;
}

std::string links_text(const Network& network, const Defaults& usual, const TopologyRemarks& remarks) {
    if (network.trunks.empty()) return "";
    std::string text = "links:\n";
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        text += remarks_on(remarks.trunks, t);
        std::string fields = speed_fields(trunk.speed, usual.speed);
        if (!fields.empty()) fields = ", " + fields;
        if (trunk.cables != 1) fields += fmt::format(", cables: {}", trunk.cables);
        text += fmt::format("  - {{between: [{}, {}]{}}}\n",
                            yaml_key(network.switches[static_cast<std::size_t>(trunk.a)].name),
                            yaml_key(network.switches[static_cast<std::size_t>(trunk.b)].name), fields);
    }
    return text;
}

std::string machines_text(const Network& network, const Defaults& usual, const TopologyRemarks& remarks) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // fields, machines
    std::map<std::string, std::string> comments;                           // by fields
    std::string usual_ones;                                                // comments on machines without fields
    std::unordered_map<std::string, std::size_t> index;
    for (std::size_t m = 0; m < network.machines.size(); ++m) {
        const Machine& machine = network.machines[m];
        std::string fields = speed_fields(machine.port, usual.speed);
        if (!fields.empty()) fields = fmt::format("link: {{{}}}", fields);
        if (machine.cores != usual.cores) {
            fields += fmt::format("{}cores: {}", fields.empty() ? "" : ", ", machine.cores);
        }
        const std::string software = machine.software ? software_fields(*machine.software, usual.software) : "";
        if (!software.empty()) fields += fmt::format("{}software: {{{}}}", fields.empty() ? "" : ", ", software);
        (fields.empty() ? usual_ones : comments[fields]) += remarks_on(remarks.machines, m);
        if (fields.empty()) continue;
        const auto [group, added] = index.emplace(fields, groups.size());
        if (added) groups.emplace_back(fields, std::vector<std::string>{});
        groups[group->second].second.push_back(machine.name);
    }
    std::string text = (groups.empty() ? "" : "machines:\n") + usual_ones;
    for (const auto& [fields, machines] : groups) {
        text += comments[fields];
        text += fmt::format("  \"{}\": {{{}}}\n", fold_hostlist(machines), fields);
    }
    return text;
}

std::string rest_text(const Network& network) {
    std::string text = network.partitions.empty() ? "" : "partitions:\n";
    for (const Partition& partition : network.partitions) {
        std::vector<std::string> names;
        for (const int machine : partition.machines) {
            names.push_back(network.machines[static_cast<std::size_t>(machine)].name);
        }
        text += fmt::format("  {}: {}\n", yaml_key(partition.name), hostlist_value(names, partition.name.size() + 4));
    }
    if (network.multicast) {
        text += fmt::format("multicast: {{groups: \"{}\"", network.multicast->groups);
        if (!network.multicast->interface.empty())
            text += fmt::format(", interface: \"{}\"", network.multicast->interface);
        text += "}\n";
    }
    if (network.spanning_tree != SpanningTree::automatic) {
        text += fmt::format("spanning_tree: {}\n", name_of(network.spanning_tree));
    }
    return text;
}

}  // namespace

std::string write_topology(const Network& network, const std::vector<std::string>& head,
                           const TopologyRemarks& remarks) {
    const Defaults usual = defaults_of(network);
    std::string text;
    for (const std::string& line : head) text += comment(line);
    text += fmt::format("name: {}\ndefaults:\n  link: {{bandwidth: {}, latency: {}}}\n", network.name,
                        format_bandwidth(usual.speed.bandwidth_Bps), format_latency(usual.speed.latency_s));
    if (usual.cores != 1) text += fmt::format("  machine: {{cores: {}}}\n", usual.cores);
    if (usual.software) text += fmt::format("  software: {{{}}}\n", software_fields(*usual.software, std::nullopt));
    return text + switches_text(network, remarks) + links_text(network, usual, remarks) +
           machines_text(network, usual, remarks) + rest_text(network);
}

}  // namespace bcastgen
