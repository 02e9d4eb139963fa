#include "planner/formats/topograph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/names.hpp"
#include "base/utf8.hpp"
#include "base/yaml/yaml_values.hpp"
#include "planner/formats/json_text.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

class Topograph {
  public:
    Topograph(YamlSource& source, bool is_json) : source_(source), is_json_(is_json), report_(report_to(source)) {}

    std::vector<SlurmSwitch> read() {
        const YamlNode& root = source_.root();
        if (value_of(&root, "switches") == nullptr && value_of(&root, "blocks") == nullptr) {
            source_.error(root, "a Topograph model has \"switches\" or \"blocks\"");
            return {};
        }
        if (const YamlNode* switches = value_of(&root, "switches")) {
            for (const YamlPair& entry : map_entries(source_, switches, "switches")) read_switch(entry);
        }
        for (const YamlNode* block : one_or_more(value_of(&root, "blocks"))) read_block(*block);
        return switches_;
    }

  private:
    std::vector<SlurmName> names(const YamlNode* node, std::string_view what) {
        std::vector<SlurmName> all;
        for (const YamlNode* item : one_or_more(node)) {
            const YamlNode* id = item->kind == YamlNode::Kind::map ? value_of(item, "node_id") : item;
            if (id == nullptr) {
                source_.error(*item, "a node without \"node_id\"");
                continue;
            }
            const std::optional<std::string> text = read_scalar(source_, id, what);
            if (!text) continue;
            if (is_json_ && !source_.is_quoted(*id)) {
                source_.error(*id, fmt::format("{} is not a text in quotes, so it cannot be a name", in_quotes(*text)));
                continue;
            }
            for (SlurmName& name : slurm_names(*text, source_.written(*id), source_.hostlists(), report_))
                all.push_back(std::move(name));
        }
        return all;
    }

    SlurmSwitch& find_or_add(const SlurmName& name) {
        const auto [known, added] = index_.emplace(name.name, switches_.size());
        if (added) switches_.push_back({name, {}, {}});
        return switches_[known->second];
    }

    /// Adds to every switch that `named` stands for.
    void add_below(const YamlNode& named, const std::vector<SlurmName>& children, const std::vector<SlurmName>& nodes) {
        const std::vector<SlurmName> switches = names(&named, "a switch");
        if (!may_repeat({{}, nodes, children}, switches.size(), source_.hostlists(), named.place, report_)) return;
        for (const SlurmName& name : switches) {
            SlurmSwitch& sw = find_or_add(name);
            sw.children.insert(sw.children.end(), children.begin(), children.end());
            sw.nodes.insert(sw.nodes.end(), nodes.begin(), nodes.end());
        }
    }

    void read_switch(const YamlPair& entry) {
        if (entry.value->kind != YamlNode::Kind::map && entry.value->kind != YamlNode::Kind::nothing) {
            source_.error(*entry.value, "a switch is a map of \"key: value\" entries, not " + describe(*entry.value));
            return;
        }
        const std::vector<SlurmName> children = names(value_of(entry.value, "switches"), "a switch");
        const std::vector<SlurmName> nodes = names(value_of(entry.value, "nodes"), "a node");
        add_below(*entry.key, children, nodes);
    }

    /// Nodes that share an accelerator's network, on a switch.
    void read_block(const YamlNode& block) {
        const YamlNode* on = value_of(&block, "switch");
        if (on == nullptr) {
            source_.error(block, "a block without \"switch\" does not tell where its nodes are");
            return;
        }
        add_below(*on, {}, names(value_of(&block, "nodes"), "a node"));
    }

    YamlSource& source_;
    bool is_json_;
    Report report_;
    std::vector<SlurmSwitch> switches_;
    std::unordered_map<std::string, std::size_t> index_;
};

/// Racks that are only named as parts of others: without machines, unless a switch that is a part of none may be the
/// one that was meant.
void add_bare_racks(std::vector<SlurmSwitch>& switches) {
    std::unordered_map<std::string, bool> described;  // and whether it is a part of another
    for (const SlurmSwitch& sw : switches) described.emplace(sw.name.name, false);
    std::vector<SlurmName> bare;
    std::vector<std::string> names;
    for (const SlurmSwitch& sw : switches) {
        names.push_back(sw.name.name);
        for (const SlurmName& child : sw.children) {
            const auto known = described.find(child.name);
            if (known != described.end()) known->second = true;
            if (known == described.end()) bare.push_back(child);
        }
    }
    const auto tops = std::count_if(described.begin(), described.end(), [](const auto& one) { return !one.second; });
    if (tops > 1) return;
    std::size_t suggestions_left = most_shown_errors;  // each one looks at all names
    for (const SlurmName& rack : bare) {
        if (suggestions_left > 0 && !did_you_mean(rack.name, names).empty()) {
            --suggestions_left;
        } else if (described.emplace(rack.name, true).second) {
            switches.push_back({rack, {}, {}});
        }
    }
}

void note_bare_racks(const std::vector<SlurmSwitch>& switches, Wiring& wiring) {
    std::vector<std::string> bare;
    for (const SlurmSwitch& sw : switches) {
        if (sw.nodes.empty() && sw.children.empty()) bare.push_back(sw.name.name);
    }
    if (bare.empty()) return;
    wiring.note(fmt::format("assumed: {} {} no machines, as the model names none there", some_names(bare),
                            bare.size() == 1 ? "has" : "have"));
}

}  // namespace

Imported import_topograph(const ImportFile& file, const std::string& name) {
    const std::string_view text = without_byte_order_mark(file.text);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool json = first != std::string_view::npos && text[first] == '{';
    YamlSource source(json ? checked_json(file) : file.text, file.name);
    std::vector<SlurmSwitch> switches = Topograph(source, json).read();
    source.throw_if_errors();
    add_bare_racks(switches);
    Wiring wiring;
    note_bare_racks(switches, wiring);
    const std::vector<int> tops = wire_slurm(switches, wiring, report_to(source));
    source.throw_if_errors();
    wiring.note("assumed: 1Gbit/s and 20us on every link; a Topograph model tells no speeds, so set them here");
    Imported imported = wiring.finish(name, tops, slurm_link);
    check_machine_count(imported.network, file.name,
                        "names no machine: no switch has \"nodes\", and there is no block");
    return imported;
}

}  // namespace bcastgen
