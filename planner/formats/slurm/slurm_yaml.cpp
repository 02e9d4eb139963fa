// Slurm's topology.yaml: a list of topologies, of which the cluster's default is imported.
#include <fmt/format.h>

#include "base/yaml/yaml_values.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

struct SlurmTopology {
    std::string name;
    bool is_default = false;
    const YamlNode* tree = nullptr;
    const YamlNode* block = nullptr;
    const YamlNode* node = nullptr;  ///< all of it
    std::string kind = "flat";
};

std::vector<SlurmName> names_of(YamlSource& source, const YamlNode* node, std::string_view what) {
    const std::optional<std::string> text = read_scalar(source, node, what);
    if (!text) return {};
    return slurm_names(*text, source.written(*node), source.hostlists(), report_to(source));
}

/// One item, or a list of them: Slurm takes both.
std::vector<const YamlNode*> one_or_many(YamlSource& source, const YamlNode* node, std::string_view what) {
    if (node != nullptr && node->kind == YamlNode::Kind::map) return {node};
    return list_items(source, node, what);
}

std::vector<SlurmSwitch> read_switch(YamlSource& source, const YamlNode* node, bool block) {
    const YamlFields fields = block ? YamlFields(source, node, "a block", {"block", "nodes"})
                                    : YamlFields(source, node, "a switch", {"switch", "nodes", "children"});
    const std::string_view key = block ? "block" : "switch";
    if (fields.lacks(key) && node->kind == YamlNode::Kind::map) {
        source.error(*node, fmt::format("a {} without a name; it stands under \"{}\"", key, key));
    }
    SlurmSwitch sw;
    if (fields["nodes"] != nullptr) sw.nodes = names_of(source, fields["nodes"], "a list of nodes");
    if (!block && fields["children"] != nullptr) {
        sw.children = names_of(source, fields["children"], "a list of switches");
    }
    std::vector<SlurmSwitch> switches;
    if (fields[key] == nullptr) return switches;
    const std::vector<SlurmName> names = names_of(source, fields[key], "a name");
    if (!may_repeat(sw, names.size(), source.hostlists(), fields[key]->place, report_to(source))) return switches;
    for (const SlurmName& name : names) {
        sw.name = name;
        switches.push_back(sw);
    }
    return switches;
}

void read_block_sizes(YamlSource& source, const YamlNode* node) {
    if (node == nullptr) return;
    std::vector<const YamlNode*> items{node};
    if (node->kind == YamlNode::Kind::list) items = node->items;
    std::vector<SlurmName> sizes;
    for (const YamlNode* item : items) {
        if (const std::optional<std::string> size = read_scalar(source, item, "a block size")) {
            sizes.push_back({*size, item->place});
        }
    }
    check_slurm_block_sizes(sizes, report_to(source));
}

std::vector<SlurmSwitch> read_kind(YamlSource& source, const YamlNode* node, bool block) {
    const YamlFields fields = block ? YamlFields(source, node, "a block topology", {"block_sizes", "blocks"})
                                    : YamlFields(source, node, "a tree topology", {"switches"});
    if (block) read_block_sizes(source, fields["block_sizes"]);
    const std::string_view key = block ? "blocks" : "switches";
    if (fields.lacks(key) && node->kind == YamlNode::Kind::map) {
        source.error(*node, fmt::format("no \"{}\" here", key));
    }
    std::vector<SlurmSwitch> switches;
    if (fields[key] == nullptr) return switches;
    for (const YamlNode* item : one_or_many(source, fields[key], key)) {
        for (SlurmSwitch& sw : read_switch(source, item, block)) switches.push_back(std::move(sw));
    }
    return switches;
}

SlurmTopology read_one(YamlSource& source, const YamlNode& node) {
    const YamlFields fields(source, &node, "a topology",
                            {"topology", "cluster_default", "tree", "block", "flat", "ring", "torus3d"});
    SlurmTopology topology;
    topology.node = &node;
    topology.name = read_scalar(source, fields["topology"], "a topology's name").value_or("");
    if (fields["cluster_default"] != nullptr) {
        topology.is_default = read_scalar(source, fields["cluster_default"], "true or false").value_or("") == "true";
    }
    std::string_view kind;
    for (const std::string_view one : {"tree", "block", "flat", "ring", "torus3d"}) {
        if (fields[one] == nullptr) continue;
        if (!kind.empty()) {
            source.error(node, fmt::format("a topology is of one kind; this one is a {} already", kind));
        }
        kind = one;
    }
    topology.tree = fields["tree"];
    topology.block = fields["block"];
    if (!kind.empty()) topology.kind = kind;
    return topology;
}

}  // namespace

std::vector<SlurmSwitch> read_slurm_yaml(YamlSource& source, Wiring& wiring) {
    const YamlNode& root = source.root();
    std::vector<SlurmTopology> topologies;
    for (const YamlNode* item : one_or_many(source, &root, "Slurm's list of topologies")) {
        topologies.push_back(read_one(source, *item));
    }
    source.throw_if_errors();
    const SlurmTopology* chosen = nullptr;
    for (const SlurmTopology& topology : topologies) {
        if (topology.tree == nullptr && topology.block == nullptr) continue;
        if (chosen == nullptr || (topology.is_default && !chosen->is_default)) chosen = &topology;
    }
    if (chosen == nullptr) {
        source.error(root,
                     "no topology of kind tree or block here; the others do not tell which switch a machine is on");
        return {};
    }
    for (const SlurmTopology& topology : topologies) {
        if (&topology == chosen) continue;
        wiring.note(fmt::format("left out: the {} topology {}{}", topology.kind, topology.name,
                                topology.is_default ? ", the cluster's default, which names no switches" : ""));
    }
    const bool block = chosen->block != nullptr;
    std::vector<SlurmSwitch> switches = read_kind(source, block ? chosen->block : chosen->tree, block);
    if (switches.empty() && !source.has_errors()) source.error(*chosen->node, "a topology without switches");
    return switches;
}

}  // namespace bcastgen
