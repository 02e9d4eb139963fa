#include "planner/topology/topology_yaml.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "planner/network/spanning_tree.hpp"
#include "planner/topology/topology_reader.hpp"

namespace bcastgen {

namespace {

void read_name(TopologyReader& reader, const YamlNode& root, const YamlFields& fields) {
    const YamlNode* node = fields["name"];
    if (fields.lacks("name")) {
        reader.source.error(root, "the topology has no name; \"name: my-cluster\" names the library");
    }
    const std::optional<std::string> name = read_scalar(reader.source, node, "the topology's name");
    if (!name) return;
    reader.network.name = *name;
    if (is_library_name(*name)) return;
    reader.source.error(*node, fmt::format("{} cannot name a library; its name is a letter, then letters, digits, _ "
                                           "and -, at most 64 in all",
                                           in_quotes(*name)));
}

void check_not_empty(TopologyReader& reader, const YamlNode& root, const YamlFields& fields) {
    const YamlNode* switches = fields["switches"];
    if (fields.lacks("switches")) {
        reader.source.error(root, "the network has no switches; describe them under switches");
    } else if (switches != nullptr && reader.network.switches.empty()) {
        const bool blank = switches->kind == YamlNode::Kind::nothing || switches->kind == YamlNode::Kind::map;
        if (blank && switches->pairs.empty()) reader.source.error(*switches, "the network has no switches");
    } else if (switches != nullptr && reader.network.machines.empty() && reader.refused_prefixes.empty()) {
        reader.source.error(*switches, "no switch has a machine");
    }
}

bool list_or_nothing(const YamlNode& node) {
    return node.kind == YamlNode::Kind::list || node.kind == YamlNode::Kind::nothing;
}

/// Files of the first version need not say so. The keys of a later one may mean something else, so it stays alone.
void expect_our_format(YamlSource& source, const YamlNode& root) {
    constexpr std::string_view ours = "bcastgen-topology/1";
    for (const auto& [key, value] : root.pairs) {
        if (key->text != "format") continue;
        const std::optional<std::string> text = read_scalar(source, value, "a format");
        if (!text || *text == ours) continue;
        source.error(*value, fmt::format("format is {} here, not {}; read it with the bcastgen that it was written for",
                                         in_quotes(*text), ours));
        source.throw_if_errors();
    }
}

}  // namespace

Network read_topology(std::string_view text, const std::string& file) {
    YamlSource source(text, file);
    const YamlNode& root = source.root();
    if (root.kind == YamlNode::Kind::nothing)
        throw InputErrors({{file, 0, 0, "the file is empty; a topology file describes a network", ""}});
    expect_our_format(source, root);
    const YamlFields fields(
        source, &root, "a topology",
        {"format", "name", "defaults", "switches", "links", "machines", "partitions", "multicast", "spanning_tree"});
    if (root.kind == YamlNode::Kind::map) {
        TopologyReader reader(source);
        read_name(reader, root, fields);
        read_defaults(reader, fields["defaults"]);
        read_switches(reader, fields["switches"]);
        check_not_empty(reader, root, fields);
        if (reader.network.switches.empty()) reader.refused_prefixes.emplace_back();  // said once is enough
        read_machine_overrides(reader, fields["machines"]);
        read_spanning_tree(reader, fields["spanning_tree"]);
        const YamlNode* links = fields["links"];
        const bool links_known = links == nullptr ? fields.lacks("links") : list_or_nothing(*links);
        if (!reader.network.switches.empty()) read_links(reader, links);
        if (!reader.network.switches.empty() && links_known) check_shape(reader);
        read_partitions(reader, fields["partitions"]);
        reader.network.multicast = read_multicast(source, fields["multicast"]);
        if (!source.has_errors()) {
            choose_spanning_tree(reader.network);
            return std::move(reader.network);
        }
    }
    source.throw_if_errors();
    throw std::logic_error("a topology was refused without a reason");
}

}  // namespace bcastgen
