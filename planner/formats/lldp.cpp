#include "planner/formats/lldp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/names.hpp"
#include "planner/formats/json_text.hpp"
#include "planner/formats/wiring.hpp"

namespace bcastgen {

namespace {

constexpr LinkSpeed usual_link{10e9 / 8, 10e-6};

/// What one interface of a host sees.
struct Sight {
    std::string host;
    std::string interface;
    std::string neighbour;
    double bandwidth_Bps = 0;  ///< 0: unknown
};

/// "/tmp/leaf1.json" comes from leaf1.
std::string host_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
    return file.substr(0, file.rfind('.'));
}

/// "10GbaseT - …", "1000BaseTFD - …" in bytes per second; 0 for anything else.
double bandwidth_of(const std::string& current) {
    double number = 0;
    std::size_t at = 0;
    for (; at < current.size() && current[at] >= '0' && current[at] <= '9' && at < 7; ++at) {
        number = 10 * number + (current[at] - '0');
    }
    if (at == 0 || at == current.size()) return 0;
    const bool giga = current[at] == 'G' || current[at] == 'g';
    const std::size_t base = at + (giga ? 1 : 0);
    if (base >= current.size() || (current[base] != 'b' && current[base] != 'B')) return 0;
    return number * (giga ? 1e9 : 1e6) / 8;
}

/// json0 wraps each value into [{"value": …}]; json does not.
std::string plain_text(const YamlNode* node) {
    const std::vector<const YamlNode*> items = one_or_more(node);
    if (items.empty()) return "";
    return items.front()->kind == YamlNode::Kind::map ? text_of(value_of(items.front(), "value"))
                                                      : text_of(items.front());
}

class Lldp {
  public:
    std::vector<Sight> sights;
    std::set<std::string> switches;  ///< that said so of themselves
    std::set<std::string> hosts;     ///< that a file comes from
    std::size_t nameless = 0;        ///< neighbours

    void read(const ImportFile& file) {
        YamlSource source(checked_json(file), file.name);
        const std::string host = host_of(file.name);
        if (!is_safe_name(host)) {
            source.error(source.root(), "the file is not named after a host; name it like node01.json");
        } else if (!hosts.insert(host).second) {
            source.error(source.root(), fmt::format("a second file of host {}", host));
        }
        const YamlNode* lldp = value_of(&source.root(), "lldp");
        if (lldp == nullptr) {
            source.error(source.root(), "no \"lldp\" here; this is not what `lldpcli show neighbors -f json` prints");
        }
        for (const YamlNode* part : one_or_more(lldp)) {
            for (const YamlNode* one : one_or_more(value_of(part, "interface"))) read_interfaces(source, host, *one);
        }
        source.throw_if_errors();
    }

  private:
    void read_interfaces(YamlSource& source, const std::string& host, const YamlNode& node) {
        if (node.kind != YamlNode::Kind::map) {
            source.error(node, "an interface is an object, not " + describe(node));
        } else if (const YamlNode* name = value_of(&node, "name");
                   name != nullptr && name->kind == YamlNode::Kind::scalar) {
            read_neighbour(source, host, name->text, node);
        } else {
            for (const YamlPair& pair : node.pairs) read_neighbour(source, host, pair.key->text, *pair.value);
        }
    }

    void read_neighbour(YamlSource& source, const std::string& host, const std::string& interface,
                        const YamlNode& node) {
        const std::vector<const YamlNode*> chassis = one_or_more(value_of(&node, "chassis"));
        if (chassis.empty()) {
            source.error(node, fmt::format("interface {} has no \"chassis\"", in_quotes(interface)));
            return;
        }
        std::string name = plain_text(value_of(chassis.front(), "name"));
        const YamlNode* about = chassis.front();
        if (name.empty() && value_of(about, "id") == nullptr && !about->pairs.empty()) {
            name = about->pairs.front().key->text;  // json: {"leaf1": {…}}
            about = about->pairs.front().value;
        }
        if (name.empty()) {
            ++nameless;
            return;
        }
        if (!is_safe_name(name)) {
            source.error(*about, fmt::format("{} cannot name a machine or switch", in_quotes(name)));
            return;
        }
        for (const YamlNode* capability : one_or_more(value_of(about, "capability"))) {
            const std::string type = text_of(value_of(capability, "type"));
            const bool enabled = text_of(value_of(capability, "enabled")) == "true";
            if (enabled && type == "Bridge") switches.insert(name);
        }
        double bandwidth_Bps = 0;
        for (const YamlNode* port : one_or_more(value_of(&node, "port"))) {
            for (const YamlNode* negotiation : one_or_more(value_of(port, "auto-negotiation"))) {
                bandwidth_Bps = bandwidth_of(plain_text(value_of(negotiation, "current")));
            }
        }
        sights.push_back({host, interface, name, bandwidth_Bps});
    }
};

class Merger {
  public:
    explicit Merger(Lldp& lldp) : lldp_(lldp) {}

    Imported merge(const std::string& name) {
        // A host that no other one describes is a switch if it sees machines.
        std::set<std::string> described;
        for (const Sight& sight : lldp_.sights) described.insert(sight.neighbour);
        for (const Sight& sight : lldp_.sights) {
            if (!described.contains(sight.host) && !lldp_.switches.contains(sight.neighbour)) {
                lldp_.switches.insert(sight.host);
            }
        }
        for (const std::string& sw : lldp_.switches) wiring_.add_switch(sw);
        std::stable_sort(lldp_.sights.begin(), lldp_.sights.end(), [](const Sight& a, const Sight& b) {
            return a.host != b.host ? name_before(a.host, b.host) : name_before(a.interface, b.interface);
        });
        place_machines(true);
        place_machines(false);
        join_switches();
        write_notes();
        wiring_.sort_by_name();
        return wiring_.finish(name, {}, usual_link);
    }

  private:
    [[nodiscard]] bool is_switch(const std::string& host) const { return lldp_.switches.contains(host); }

    LinkSpeed speed_of(const Sight& sight) {
        if (sight.bandwidth_Bps == 0) ++no_speed_;
        return {sight.bandwidth_Bps == 0 ? usual_link.bandwidth_Bps : sight.bandwidth_Bps, usual_link.latency_s};
    }

    /// First by what machines see, whose first interface counts; then by what switches see.
    void place_machines(bool by_machines) {
        for (const Sight& sight : lldp_.sights) {
            const std::string& machine = by_machines ? sight.host : sight.neighbour;
            const std::string& sw = by_machines ? sight.neighbour : sight.host;
            if (is_switch(machine)) continue;
            if (!is_switch(sw)) {
                wiring_.note(
                    fmt::format("left out: the link between {} and {}, neither of which is a switch", machine, sw));
                continue;
            }
            if (!wiring_.add_machine(machine, wiring_.find_switch(sw), speed_of(sight))) {
                several_[machine].insert(sw);
            }
        }
    }

    void join_switches() {
        std::map<std::pair<std::string, std::string>, std::vector<const Sight*>> seen;  // from, to
        for (const Sight& sight : lldp_.sights) {
            if (is_switch(sight.host) && is_switch(sight.neighbour) && sight.host != sight.neighbour) {
                seen[{sight.host, sight.neighbour}].push_back(&sight);
            }
        }
        for (const auto& [ends, sights] : seen) {
            const auto back = seen.find({ends.second, ends.first});
            const std::size_t others = back == seen.end() ? 0 : back->second.size();
            // Both ends see the same cables; the one that sees more counts, the first by name if they agree.
            if (others > sights.size() || (others == sights.size() && ends.second < ends.first)) continue;
            for (const Sight* sight : sights) {
                wiring_.add_cables(wiring_.find_switch(ends.first), wiring_.find_switch(ends.second), speed_of(*sight),
                                   1);
            }
        }
    }

    void write_notes() {
        for (const auto& [machine, switches] : several_) {
            wiring_.note(fmt::format("assumed: {} is on switch {}, not also on {}", machine,
                                     wiring_.switch_name(wiring_.switch_of(machine)),
                                     some_names({switches.begin(), switches.end()})));
        }
        std::vector<std::string> silent;
        for (const std::string& host : lldp_.hosts) {
            if (!is_switch(host) && wiring_.switch_of(host) < 0) silent.push_back(host);
        }
        if (!silent.empty()) wiring_.note(fmt::format("left out: {}, on no switch", some_names(silent)));
        if (lldp_.nameless > 0) wiring_.note("left out: neighbours that do not tell their names");
        if (no_speed_ > 0) wiring_.note("assumed: 10Gbit/s for links whose speed is not told");
        wiring_.note("assumed: a latency of 10us on every link, which LLDP does not tell");
    }

    Lldp& lldp_;
    Wiring wiring_;
    std::map<std::string, std::set<std::string>> several_;
    std::size_t no_speed_ = 0;
};

}  // namespace

Imported import_lldp(const std::vector<ImportFile>& files, const std::string& name) {
    Lldp lldp;
    std::vector<Diagnostic> errors;
    for (const ImportFile& file : files) {
        try {
            lldp.read(file);
        } catch (const InputErrors& refused) {
            errors.insert(errors.end(), refused.diagnostics().begin(), refused.diagnostics().end());
        }
    }
    if (!errors.empty()) throw InputErrors(errors);
    Imported imported = Merger(lldp).merge(name);
    if (imported.network.machines.empty()) {
        throw InputErrors({{files.front().name, 0, 0, "no machine on a switch is seen in these files", ""}});
    }
    return imported;
}

}  // namespace bcastgen
