// The sections of a topology file about machines: defaults, switches, machines, partitions.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "planner/topology/topology_reader.hpp"

namespace bcastgen {

namespace {

constexpr LinkSpeed built_in_speed{1e9 / 8, 20e-6};

std::string machines_named(const std::vector<std::string>& names) {
    return fmt::format("{} {}", names.size() == 1 ? "machine" : "machines", fold_hostlist(names));
}

std::string is_or_are(const std::vector<std::string>& names) {
    return names.size() == 1 ? "is" : "are";
}

void add_machine(TopologyReader& reader, const std::string& name, int sw, Place place) {
    reader.machine_index.emplace(name, static_cast<int>(reader.network.machines.size()));
    reader.machine_places.push_back(place);
    reader.network.machines.push_back({name, sw, reader.default_speed, reader.default_cores,
                                       software_with(reader.default_software, reader.default_speed)});
}

// The machines that one hostlist item puts on a switch. Those that have one already are reported once for each other
// switch.
void place_machines(TopologyReader& reader, const NamedItem& item, int sw) {
    std::map<int, std::vector<std::string>> placed;  // by switch
    std::vector<std::string> switches;
    for (const std::string& name : item.names) {
        if (reader.switch_index.contains(name)) {
            switches.push_back(name);
            continue;
        }
        const auto known = reader.machine_index.find(name);
        if (known == reader.machine_index.end()) {
            add_machine(reader, name, sw, item.place);
        } else {
            placed[reader.network.machines[static_cast<std::size_t>(known->second)].sw].push_back(name);
        }
    }
    for (const auto& [other, names] : placed) {
        const Place first = reader.machine_places[static_cast<std::size_t>(reader.machine_index.at(names.front()))];
        const std::string& other_name = reader.network.switches[static_cast<std::size_t>(other)].name;
        reader.source.error(item.place,
                            other == sw ? fmt::format("{} {} listed twice on switch {} (first on line {})",
                                                      machines_named(names), is_or_are(names), other_name, first.line)
                                        : fmt::format("{} {} on switch {} already (line {}); a machine hangs on one "
                                                      "switch: of several ports write the one that MPI uses",
                                                      machines_named(names), is_or_are(names), other_name, first.line));
    }
    if (!switches.empty()) {
        const Place first = reader.switch_places[static_cast<std::size_t>(reader.switch_index.at(switches.front()))];
        reader.source.error(item.place, fmt::format("{} {} the name of a switch already (line {})",
                                                    fold_hostlist(switches), is_or_are(switches), first.line));
    }
}

// The known machines among an item's names; unknown ones are reported.
std::vector<int> find_machines(TopologyReader& reader, const NamedItem& item) {
    std::vector<int> found;
    std::vector<std::string> unknown;
    for (const std::string& name : item.names) {
        const auto known = reader.machine_index.find(name);
        if (known == reader.machine_index.end()) {
            unknown.push_back(name);
        } else {
            found.push_back(known->second);
        }
    }
    constexpr std::size_t most_compared = 100;             // with each name; where more is refused, anything may be
    std::erase_if(unknown, [&](const std::string& name) {  // a refused list may hold what is missing
        return reader.refused_prefixes.size() > most_compared ||
               std::any_of(reader.refused_prefixes.begin(), reader.refused_prefixes.end(),
                           [&](const std::string& prefix) { return name.starts_with(prefix); });
    });
    if (unknown.empty()) return found;
    std::string advice;
    if (unknown.size() == 1 && reader.suggestions_left > 0) {
        --reader.suggestions_left;
        std::vector<std::string> names;
        for (const Machine& machine : reader.network.machines) names.push_back(machine.name);
        advice = did_you_mean(unknown.front(), names);
    }
    reader.source.error(item.place, fmt::format("no switch has {}{}", machines_named(unknown), advice));
    return found;
}

std::vector<std::string> machine_names(const Network& network, const std::vector<int>& machines) {
    std::vector<std::string> names;
    for (const int machine : machines) names.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    return names;
}

/// How messages name the value, which people with several network cards try to write more than one link into.
const char* what_a_machine_has(const YamlNode* node) {
    for (const YamlPair& pair : node->pairs) {
        for (const char* key : {"links", "ports", "nics", "interfaces", "networks", "switches"}) {
            if (pair.key->text == key) return "a machine, which has one link here, that of the port that MPI uses";
        }
    }
    return "a machine";
}

void override_machines(TopologyReader& reader, const YamlPair& entry, std::vector<int>& override_lines) {
    std::vector<std::string> refused;
    std::vector<int> machines;
    for (const NamedItem& item : read_hostlist(reader.source, entry.key, refused)) {
        std::vector<int> repeated;
        for (const int machine : find_machines(reader, item)) {
            int& line = override_lines[static_cast<std::size_t>(machine)];
            (line == 0 ? machines : repeated).push_back(machine);
            if (line == 0) line = entry.key->place.line;
        }
        if (repeated.empty()) continue;
        const std::vector<std::string> names = machine_names(reader.network, repeated);
        reader.source.error(item.place,
                            fmt::format("{} {} described on line {} already", machines_named(names), is_or_are(names),
                                        override_lines[static_cast<std::size_t>(repeated.front())]));
    }
    const YamlFields fields(reader.source, entry.value, what_a_machine_has(entry.value), {"link", "cores", "software"});
    const YamlFields link(reader.source, fields["link"], "a machine's link", {"bandwidth", "latency"});
    LinkSpeed speed = reader.default_speed;
    read_speed(reader.source, link, speed);
    const std::optional<int> cores = read_count(reader.source, fields["cores"], "cores", 1, most_cores);
    DescribedSoftware software = reader.default_software;
    read_software(reader.source, fields["software"], "a machine's software", software);
    for (const int index : machines) {
        Machine& machine = reader.network.machines[static_cast<std::size_t>(index)];
        machine.port = speed;
        machine.cores = cores.value_or(reader.default_cores);
        machine.software = software_with(software, speed);
    }
}

}  // namespace

void read_defaults(TopologyReader& reader, const YamlNode* node) {
    YamlSource& source = reader.source;
    reader.default_speed = built_in_speed;
    const YamlFields fields(source, node, "defaults", {"link", "machine", "software"});
    const YamlFields link(source, fields["link"], "the default link", {"bandwidth", "latency"});
    read_speed(source, link, reader.default_speed);
    const YamlFields machine(source, fields["machine"], "the default machine", {"cores"});
    reader.default_cores = read_count(source, machine["cores"], "cores", 1, most_cores).value_or(1);
    read_software(source, fields["software"], "the default software", reader.default_software);
}

void read_switches(TopologyReader& reader, const YamlNode* node) {
    YamlSource& source = reader.source;
    const std::vector<YamlPair> entries = map_entries(source, node, "switches");
    const std::size_t pairs = node == nullptr ? 0 : node->pairs.size();
    if (entries.size() < pairs) reader.refused_prefixes.emplace_back();
    for (const YamlPair& entry : entries) {
        check_name(source, *entry.key, "a switch");
        reader.switch_index.emplace(entry.key->text, static_cast<int>(reader.network.switches.size()));
        reader.switch_places.push_back(entry.key->place);
        reader.network.switches.push_back({entry.key->text});
    }
    for (std::size_t sw = 0; sw < entries.size(); ++sw) {
        const YamlFields fields(source, entries[sw].value, "a switch", {"machines", "priority"});
        if (fields["machines"] == nullptr && !fields.lacks("machines")) reader.refused_prefixes.emplace_back();
        reader.network.switches[sw].priority =
            read_count(source, fields["priority"], "a switch's priority", 0, most_priority).value_or(default_priority);
        const auto items = read_hostlist(source, fields["machines"], reader.refused_prefixes);
        for (const NamedItem& item : items) {
            if (reader.network.machines.size() + item.names.size() > most_topology_machines) {
                source.error(item.place, fmt::format("more than {} machines", most_topology_machines));
                reader.refused_prefixes.emplace_back();
                return;
            }
            place_machines(reader, item, static_cast<int>(sw));
        }
    }
}

void read_machine_overrides(TopologyReader& reader, const YamlNode* node) {
    std::vector<int> override_lines(reader.network.machines.size(), 0);
    for (const YamlPair& entry : map_entries(reader.source, node, "machines")) {
        override_machines(reader, entry, override_lines);
    }
}

void read_partitions(TopologyReader& reader, const YamlNode* node) {
    for (const YamlPair& entry : map_entries(reader.source, node, "partitions")) {
        check_name(reader.source, *entry.key, "a partition");
        std::vector<std::string> refused;
        Partition partition{entry.key->text, {}};
        std::set<int> taken;
        const auto items = read_hostlist(reader.source, entry.value, refused);
        for (const NamedItem& item : items) {
            std::vector<int> repeated;
            for (const int machine : find_machines(reader, item)) {
                (taken.insert(machine).second ? partition.machines : repeated).push_back(machine);
            }
            if (repeated.empty()) continue;
            const std::vector<std::string> names = machine_names(reader.network, repeated);
            reader.source.error(item.place, fmt::format("{} {} listed twice in partition {}", machines_named(names),
                                                        is_or_are(names), in_quotes(partition.name)));
        }
        if (refused.empty() && items.empty()) {
            reader.source.error(*entry.key, fmt::format("partition {} has no machines", in_quotes(partition.name)));
        }
        reader.network.partitions.push_back(std::move(partition));
    }
}

}  // namespace bcastgen
