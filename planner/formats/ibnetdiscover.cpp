#include "planner/formats/ibnetdiscover.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/names.hpp"
#include "base/wording.hpp"
#include "planner/formats/wiring.hpp"

namespace bcastgen {

namespace {

constexpr double usual_Bps = 100e9 / 8;     // EDR
constexpr double usual_latency_s = 500e-9;  // of a hop; dumps have none

/// "MF0;ib5:SX6036/U1": the name that the switch was given, and the chip in it.
struct SwitchDescription {
    std::string name;
    std::string chip;
};

SwitchDescription describe_switch(const std::string& description) {
    const std::size_t semicolon = description.find(';');
    if (description.starts_with("MF0") && semicolon != std::string::npos) {
        const std::size_t colon = description.find(':', semicolon);
        const std::size_t slash = description.find('/', semicolon);
        return {safe_name(description.substr(semicolon + 1, colon - semicolon - 1)),
                slash == std::string::npos ? "" : safe_name(description.substr(slash + 1))};
    }
    std::string words;  // without the chassis' GUID
    for (std::size_t at = 0; at < description.size();) {
        const std::size_t end = std::min(description.find(' ', at), description.size());
        const std::string word = description.substr(at, end - at);
        if (!word.starts_with("GUID=")) words += (words.empty() ? "" : " ") + word;
        at = end + 1;
    }
    return {safe_name(words), ""};
}

/// A name that no other switch has yet.
std::string name_by_id(const std::string& id, const std::set<std::string>& taken) {
    const std::string name = safe_name(id);
    std::string chosen = name;
    for (int number = 2; taken.contains(chosen); ++number) {
        const std::string end = fmt::format("-{}", number);
        chosen = name.substr(0, longest_name - end.size()) + end;
    }
    return chosen;
}

/// Names by id: a description that several switches have gets the chip added, or gives way to the id.
std::unordered_map<std::string, std::string> switch_names(const IbFabric& fabric, Wiring& wiring) {
    std::map<std::string, std::vector<const IbNode*>> by_name;
    for (const IbNode& node : fabric.nodes) {
        if (node.kind == IbNode::Kind::sw) by_name[describe_switch(node.description).name].push_back(&node);
    }
    std::unordered_map<std::string, std::string> names;
    std::set<std::string> taken;
    std::size_t by_id = 0;
    for (const auto& [name, nodes] : by_name) {
        for (const IbNode* node : nodes) {
            const std::string chip = describe_switch(node->description).chip;
            std::string chosen = nodes.size() == 1 || chip.empty() ? name : name + "-" + chip;
            if (name.empty() || (nodes.size() > 1 && chip.empty()) || chosen.size() > longest_name ||
                taken.contains(chosen)) {
                chosen = name_by_id(node->id, taken);
                ++by_id;
            }
            taken.insert(chosen);
            names[node->id] = chosen;
        }
    }
    if (by_id > 0) {
        wiring.note(fmt::format("named by their ids: {} whose descriptions are the same",
                                counted(by_id, "switch", "switches")));
    }
    return names;
}

/// The host of an adapter: the first word of "node100 HCA-1". Empty for adapters without a name.
std::string host_of(const IbNode& node) {
    const std::string first = node.description.substr(0, node.description.find(' '));
    const bool vendor = node.description.find("Technologies") != std::string::npos;
    if (vendor || first == "localhost" || !is_safe_name(first)) return "";
    return first;
}

bool is_aggregation(const IbNode& node) {
    return node.description.find("Aggregation Node") != std::string::npos;
}

class Importer {
  public:
    Importer(const IbFabric& fabric, SourceText& source) : fabric_(fabric), source_(source) {}

    Imported import(const std::string& name) {
        names_ = switch_names(fabric_, wiring_);
        for (const IbNode& node : fabric_.nodes) {
            if (node.kind == IbNode::Kind::sw) wiring_.add_switch(names_.at(node.id));
        }
        place_hosts();
        join_switches();
        wiring_.note(fmt::format("assumed: a latency of {:g}ns a hop, which dumps do not tell", usual_latency_s * 1e9));
        wiring_.sort_by_name();
        source_.throw_if_errors();
        return wiring_.finish(name, {}, {usual_Bps, usual_latency_s});
    }

    /// What is wrong where no machine was found.
    [[nodiscard]] std::string why_no_machine() const {
        if (!unplugged_.empty()) return "has no machine on a switch: " + unplugged_;
        if (nameless_.empty()) return "has no adapter with a host's name";
        return fmt::format(
            "has no adapter with a host's name, only such as {}; set node descriptions to host names "
            "(rdma-ndd does), or give ibnetdiscover a --node-name-map",
            in_quotes(nameless_));
    }

  private:
    struct Adapter {
        std::string adapter;  ///< "HCA-1"
        const IbNode* node;
    };

    void place_hosts() {
        std::map<std::string, std::vector<Adapter>> hosts;
        std::size_t aggregation = 0;
        std::size_t routers = 0;
        std::map<std::string, std::size_t> nameless;
        for (const IbNode& node : fabric_.nodes) {
            if (node.kind == IbNode::Kind::router) {
                ++routers;
            } else if (node.kind == IbNode::Kind::adapter) {
                const std::string host = host_of(node);
                if (is_aggregation(node)) {
                    ++aggregation;
                } else if (host.empty()) {
                    ++nameless[node.description];
                } else {
                    hosts[host].push_back({node.description.substr(host.size()), &node});
                }
            }
        }
        if (aggregation > 0) {
            wiring_.note(fmt::format("left out: {}, which no machine is",
                                     counted(aggregation, "aggregation node", "aggregation nodes")));
        }
        if (routers > 0) wiring_.note(fmt::format("left out: {}", counted(routers, "router", "routers")));
        std::vector<std::string> left_out;
        for (const auto& [description, count] : nameless) {
            left_out.push_back(fmt::format("left out: {} described as {}, which names no host",
                                           counted(count, "adapter", "adapters"), in_quotes(description)));
        }
        wiring_.note_some(left_out);
        if (!nameless.empty()) nameless_ = nameless.begin()->first;
        std::vector<std::string> several;
        for (auto& [host, adapters] : hosts) {
            std::stable_sort(adapters.begin(), adapters.end(),
                             [](const Adapter& a, const Adapter& b) { return name_before(a.adapter, b.adapter); });
            if (place(host, adapters) > 1) several.push_back(host);
        }
        if (!several.empty()) {
            wiring_.note(fmt::format("assumed: a machine uses its first adapter; {} ({}) {} several",
                                     counted(several.size(), "machine", "machines"), some_names(several),
                                     several.size() == 1 ? "has" : "have"));
        }
        note_unplugged(hosts);
    }

    /// Hosts on no switch, by what their adapters are joined to instead.
    void note_unplugged(const std::map<std::string, std::vector<Adapter>>& hosts) {
        std::vector<std::string> bare;
        std::vector<std::string> elsewhere;
        for (const auto& [host, adapters] : hosts) {
            if (wiring_.switch_of(host) >= 0) continue;
            const bool has_cable = std::any_of(adapters.begin(), adapters.end(),
                                               [](const Adapter& one) { return !one.node->ports.empty(); });
            (has_cable ? elsewhere : bare).push_back(host);
        }
        std::vector<std::string> left_out;
        const char* verb = bare.size() == 1 ? "adapter has" : "adapters have";
        if (!bare.empty()) {
            left_out.push_back(fmt::format("{}, whose {} no cable", some_names(bare), verb));
        }
        if (!elsewhere.empty()) {
            left_out.push_back(fmt::format("{}, with cables to no switch", some_names(elsewhere)));
        }
        for (const std::string& what : left_out) {
            wiring_.note("left out: " + what);
            unplugged_ += (unplugged_.empty() ? "" : "; ") + what;
        }
    }

    /// Puts the host on the switch of the first cable of its adapters that leads to one; returns how many do.
    std::size_t place(const std::string& host, const std::vector<Adapter>& adapters) {
        std::size_t cables = 0;
        for (const Adapter& adapter : adapters) {
            for (const IbPort& port : adapter.node->ports) {
                const auto sw = names_.find(port.peer);
                if (sw == names_.end()) continue;
                if (cables++ == 0) wiring_.add_machine(host, wiring_.find_switch(sw->second), speed_of(port));
            }
        }
        return cables;
    }

    LinkSpeed speed_of(const IbPort& port) {
        if (port.bandwidth_Bps == 0 && !told_no_rate_) {
            told_no_rate_ = true;
            wiring_.note("assumed: 100Gbit/s for cables without width and rate");
        }
        return {port.bandwidth_Bps == 0 ? usual_Bps : port.bandwidth_Bps, usual_latency_s};
    }

    /// Each cable once, although both its ends report it.
    void join_switches() {
        std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
        std::size_t loops = 0;
        for (const IbNode& node : fabric_.nodes) {
            if (node.kind != IbNode::Kind::sw) continue;
            for (const IbPort& port : node.ports) {
                if (!names_.contains(port.peer)) continue;
                if (port.peer == node.id) {
                    ++loops;
                    continue;
                }
                const bool first = std::tie(node.id, port.number) < std::tie(port.peer, port.peer_number);
                const auto cable = first ? std::tuple{node.id, port.number, port.peer, port.peer_number}
                                         : std::tuple{port.peer, port.peer_number, node.id, port.number};
                if (!seen.insert(cable).second) continue;
                const std::string& from = names_.at(node.id);
                const std::string& to = names_.at(port.peer);
                if (wiring_.add_cables(wiring_.find_switch(from), wiring_.find_switch(to), speed_of(port), 1)) continue;
                source_.error(port.place, fmt::format("more than {} cables between {} and {}", most_cables, from, to));
            }
        }
        if (loops > 0) {
            wiring_.note(fmt::format("left out: {} of cables from a switch to itself", counted(loops, "end", "ends")));
        }
    }

    const IbFabric& fabric_;
    SourceText& source_;
    Wiring wiring_;
    std::unordered_map<std::string, std::string> names_;  // of switches, by id
    std::string unplugged_;                               // hosts that are on no switch, and why
    std::string nameless_;                                // a description that names no host
    bool told_no_rate_ = false;
};

}  // namespace

Imported import_fabric(const IbFabric& fabric, SourceText& source, const std::string& file, const std::string& name) {
    Importer importer(fabric, source);
    Imported imported = importer.import(name);
    check_machine_count(imported.network, file, importer.why_no_machine());
    return imported;
}

Imported import_ibnetdiscover(const ImportFile& file, const std::string& name) {
    SourceText source(file.text, file.name);
    source.refuse_unprintable();
    source.throw_if_errors();
    const IbFabric fabric = read_ibnetdiscover(source);
    source.throw_if_errors();
    return import_fabric(fabric, source, file.name, name);
}

}  // namespace bcastgen
