// The parts of reading a topology file; topology_yaml.hpp is the way in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/yaml/yaml_source.hpp"
#include "base/yaml/yaml_values.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// What a topology file says of software; the rest is what is usual for a machine's port.
struct DescribedSoftware {
    std::optional<double> send_s;
    std::optional<double> receive_s;
    std::optional<double> per_byte_s;
    std::optional<double> copy_bandwidth_Bps;
    std::optional<double> copy_latency_s;
};

/// What is known so far while a file is read from top to bottom. Sections with errors leave out what is unknown, so
/// that one slip gives one message.
struct TopologyReader {
    explicit TopologyReader(YamlSource& from) : source(from) {}

    YamlSource& source;
    Network network;
    LinkSpeed default_speed;
    int default_cores = 1;
    DescribedSoftware default_software;
    std::unordered_map<std::string, int> switch_index;
    std::unordered_map<std::string, int> machine_index;
    std::vector<Place> switch_places;           ///< by switch: its key
    std::vector<Place> machine_places;          ///< by machine: where its switch lists it
    std::vector<Place> trunk_places;            ///< by trunk
    std::vector<std::string> refused_prefixes;  ///< the beginnings of machine names that were refused
    int suggestions_left = 20;                  ///< "did you mean": each one looks at all names
    std::size_t refused_links = 0;              ///< links that may join switches which now look apart
};

// topology_values.cpp: single values. Each reports what it refuses and leaves it out.

/// Overrides of `speed` from the "bandwidth" and "latency" of a map that has them.
void read_speed(YamlSource& source, const YamlFields& fields, LinkSpeed& speed);
/// Overrides of `software` from a map like {send: 0.4us, receive: 0.4us, per_byte: 0.1ns, copy: {bandwidth: 80Gbit/s}}.
void read_software(YamlSource& source, const YamlNode* node, std::string_view what, DescribedSoftware& software);
/// Of a machine with that port; nothing if nothing is described.
std::optional<Software> software_with(const DescribedSoftware& described, const LinkSpeed& port);
std::optional<Multicast> read_multicast(YamlSource& source, const YamlNode* node);

// topology_machines.cpp
void read_defaults(TopologyReader& reader, const YamlNode* node);
void read_switches(TopologyReader& reader, const YamlNode* node);
void read_machine_overrides(TopologyReader& reader, const YamlNode* node);
void read_partitions(TopologyReader& reader, const YamlNode* node);

// topology_links.cpp
void read_links(TopologyReader& reader, const YamlNode* node);
void read_spanning_tree(TopologyReader& reader, const YamlNode* node);
/// Reports a network in pieces, and cycles where they are forbidden.
void check_shape(TopologyReader& reader);

}  // namespace bcastgen
