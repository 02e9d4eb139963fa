#include "planner/formats/lldp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/characters.hpp"
#include "base/names.hpp"
#include "base/source_text.hpp"
#include "base/units.hpp"
#include "planner/formats/json_text.hpp"
#include "planner/formats/lldp_roles.hpp"
#include "planner/formats/wiring.hpp"

namespace bcastgen {

namespace {

constexpr LinkSpeed usual_link{10e9 / 8, 10e-6};

/// "/tmp/leaf1.json" comes from leaf1.
std::string host_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
    return file.substr(0, file.rfind('.'));
}

/// "10GbaseT - …", "1000BaseTFD - …" in bytes per second; 0 for what does not look like it.
double bandwidth_of(const std::string& current) {
    double number = 0;
    std::size_t at = 0;
    for (; at < current.size() && is_digit(current[at]); ++at) number = 10 * number + (current[at] - '0');
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
    LldpDevices devices;
    std::set<std::string> hosts;  ///< that a file comes from
    std::size_t nameless = 0;     ///< neighbours

    void read(const ImportFile& file, std::size_t number) {
        file_ = number;
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
            if (enabled && type == "Bridge") devices.bridges.insert(name);
            if (enabled && type == "Router") devices.routers.insert(name);
        }
        devices.sights.push_back({host, interface, name, bandwidth_of_port(source, node), file_, node.place});
    }

    static double bandwidth_of_port(YamlSource& source, const YamlNode& node) {
        double bandwidth_Bps = 0;
        for (const YamlNode* port : one_or_more(value_of(&node, "port"))) {
            for (const YamlNode* negotiation : one_or_more(value_of(port, "auto-negotiation"))) {
                const YamlNode* current = value_of(negotiation, "current");
                const std::string mode = plain_text(current);
                bandwidth_Bps = bandwidth_of(mode);
                if (bandwidth_Bps == 0 || is_bandwidth(bandwidth_Bps)) continue;
                source.error(*current, fmt::format("no link has the speed that {} names", in_quotes(mode)));
            }
        }
        return bandwidth_Bps;
    }

    std::size_t file_ = 0;
};

class Merger {
  public:
    Merger(Lldp& lldp, const LldpRoles& roles) : lldp_(lldp), roles_(roles) {}

    Imported merge(const std::string& name) {
        for (const std::string& sw : roles_.switches) wiring_.add_switch(sw);
        std::vector<LldpSight>& sights = lldp_.devices.sights;
        std::stable_sort(sights.begin(), sights.end(), [](const LldpSight& a, const LldpSight& b) {
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
    [[nodiscard]] bool is_switch(const std::string& host) const { return roles_.switches.contains(host); }

    LinkSpeed speed_of(const LldpSight& sight) {
        if (sight.bandwidth_Bps == 0) ++no_speed_;
        return {sight.bandwidth_Bps == 0 ? usual_link.bandwidth_Bps : sight.bandwidth_Bps, usual_link.latency_s};
    }

    /// First by what machines see, whose first interface counts; then by what switches see.
    void place_machines(bool by_machines) {
        for (const LldpSight& sight : lldp_.devices.sights) {
            const std::string& machine = by_machines ? sight.host : sight.neighbour;
            const std::string& sw = by_machines ? sight.neighbour : sight.host;
            if (is_switch(machine)) continue;
            if (!is_switch(sw)) {
                if (by_machines) between_machines_.insert(std::minmax(machine, sw));
                continue;
            }
            if (!wiring_.add_machine(machine, wiring_.find_switch(sw), speed_of(sight))) {
                several_[machine].insert(sw);
            }
        }
    }

    void join_switches() {
        std::map<std::pair<std::string, std::string>, std::vector<const LldpSight*>> seen;  // from, to
        for (const LldpSight& sight : lldp_.devices.sights) {
            if (is_switch(sight.host) && is_switch(sight.neighbour) && sight.host != sight.neighbour) {
                seen[{sight.host, sight.neighbour}].push_back(&sight);
            }
        }
        std::vector<std::string> left_out;
        for (const auto& [ends, sights] : seen) {
            const auto back = seen.find({ends.second, ends.first});
            const std::size_t others = back == seen.end() ? 0 : back->second.size();
            // Both ends see the same cables; the one that sees more counts, the first by name if they agree.
            if (others > sights.size() || (others == sights.size() && ends.second < ends.first)) continue;
            for (const LldpSight* sight : sights) {
                const int first = wiring_.find_switch(ends.first);
                if (wiring_.add_cables(first, wiring_.find_switch(ends.second), speed_of(*sight), 1)) continue;
                left_out.push_back(
                    fmt::format("left out: cables between {} and {} beyond {}", ends.first, ends.second, most_cables));
                break;
            }
        }
        wiring_.note_some(left_out);
    }

    void note_routers() {
        const auto noted = [this](const std::vector<std::string>& names, const char* one, const char* many) {
            if (names.empty()) return;
            wiring_.note(fmt::format("assumed: {} {}", some_names(names), names.size() == 1 ? one : many));
        };
        noted(roles_.routing_switches, "is a switch, as it routes", "are switches, as they route");
        noted(roles_.routing_machines, "is a machine on one switch, although it routes",
              "are machines on one switch each, although they route");
    }

    void write_notes() {
        note_routers();
        std::vector<std::string> notes;
        for (const auto& [a, b] : between_machines_) {
            notes.push_back(fmt::format("left out: the link between {} and {}, neither of which is a switch", a, b));
        }
        wiring_.note_some(notes);
        notes.clear();
        for (const auto& [machine, switches] : several_) {
            notes.push_back(fmt::format("assumed: {} is on switch {}, not also on {}", machine,
                                        wiring_.switch_name(wiring_.switch_of(machine)),
                                        some_names({switches.begin(), switches.end()})));
        }
        wiring_.note_some(notes);
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
    const LldpRoles& roles_;
    Wiring wiring_;
    std::set<std::pair<std::string, std::string>> between_machines_;  // links
    std::map<std::string, std::set<std::string>> several_;
    std::size_t no_speed_ = 0;
};

/// Throws InputErrors where a router may be a switch as well as a machine.
void refuse_undecided(const std::vector<ImportFile>& files, const LldpDevices& devices, const LldpRoles& roles) {
    std::vector<Diagnostic> errors;
    for (const std::size_t at : roles.undecided) {
        const LldpSight& sight = devices.sights[at];
        SourceText source(files[sight.file].text, files[sight.file].name);
        source.error(sight.place, fmt::format("{} routes, as a switch or a machine may, and nothing tells which of {} "
                                              "and its neighbours are switches; add the files of more machines, or "
                                              "that of {}",
                                              sight.neighbour, sight.host, sight.neighbour));
        collect(errors, [&source] { source.throw_if_errors(); });
        if (errors.size() > most_shown_errors) break;
    }
    const std::size_t more = roles.undecided.size() - errors.size();
    if (!errors.empty()) throw InputErrors(std::move(errors), more);
}

}  // namespace

Imported import_lldp(const std::vector<ImportFile>& files, const std::string& name) {
    Lldp lldp;
    std::vector<Diagnostic> errors;
    std::size_t more = 0;
    for (std::size_t file = 0; file < files.size(); ++file) {
        try {
            lldp.read(files[file], file);
        } catch (const InputErrors& refused) {
            errors.insert(errors.end(), refused.diagnostics().begin(), refused.diagnostics().end());
            more += refused.more();
        }
    }
    if (!errors.empty()) throw InputErrors(errors, more);
    const LldpRoles roles = roles_of(lldp.devices);
    refuse_undecided(files, lldp.devices, roles);
    Imported imported = Merger(lldp, roles).merge(name);
    check_machine_count(imported.network, files.front().name,
                        roles.routing_switches.empty()
                            ? "no machine on a switch is seen in these files"
                            : "no machine on a switch is seen in these files: all devices bridge, route or see no "
                              "other; add the files of machines only, or write the topology file by hand");
    return imported;
}

}  // namespace bcastgen
