// Comments in which export_slurm keeps what Slurm cannot express:
//
//   # bcastgen name=NAME spanning_tree=RULE
//   # bcastgen switches=HOSTLIST                     all switches, in the order of the topology file
//   # bcastgen idle=HOSTLIST                         those of them that have no machine below
//   # bcastgen part=LEAF of=SWITCH                   LEAF stands for the ports of SWITCH itself
//   # bcastgen ports=HOSTLIST bandwidth=B latency=L cores=N [send=L receive=L per_byte=L copy_bandwidth=B
//   copy_latency=L] # bcastgen links=A:B,C:D bandwidth=B latency=L cables=N # bcastgen more_links=A:B bandwidth=B
//   latency=L cables=N      links that are not in the Slurm tree # bcastgen priority=N switches=HOSTLIST;
//   partition=NAME machines=HOSTLIST; multicast=RANGE interface=NAME
//
// They refine what Slurm's own lines say and never contradict them: hints to what those lines no longer have are
// ignored.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/topology/topology_values.hpp"

namespace bcastgen {

namespace {

using TrunkEnds = std::pair<int, int>;  // the lower index first

TrunkEnds ends_of(const Trunk& trunk) {
    return std::minmax(trunk.a, trunk.b);
}

class Hints {
  public:
    Hints(Imported& imported, HostlistExpander& expander, const Report& report)
        : network_(imported.network), expander_(expander), report_(report) {}

    void apply(const std::vector<SlurmHint>& hints) {
        add_idle_switches(hints);
        join_parts(hints);
        for (const SlurmHint& hint : hints) {
            if (const SlurmSetting* order = find(hint, "switches"); order != nullptr && hint.size() == 1)
                sort_switches(*order);
        }
        index_names();
        for (const SlurmHint& hint : hints) apply_values(hint);
        std::vector<Trunk> trunks = std::move(listed_);
        for (const Trunk& trunk : network_.trunks) {
            if (!listed_ends_.contains(ends_of(trunk))) trunks.push_back(trunk);
        }
        network_.trunks = std::move(trunks);
        refuse_pieces(hints);
    }

  private:
    static const SlurmSetting* find(const SlurmHint& hint, std::string_view key) {
        const auto at = std::find_if(hint.begin(), hint.end(), [&](const SlurmSetting& one) { return one.key == key; });
        return at == hint.end() ? nullptr : &*at;
    }

    std::vector<SlurmName> names(const SlurmSetting& setting) {
        return slurm_names(setting.value, {setting.value_place}, expander_, report_);
    }

    void index_names() {
        switch_index_.clear();
        machine_index_.clear();
        for (const Switch& sw : network_.switches) {
            switch_index_.emplace(sw.name, static_cast<int>(switch_index_.size()));
        }
        for (const Machine& machine : network_.machines) {
            machine_index_.emplace(machine.name, static_cast<int>(machine_index_.size()));
        }
    }

    int switch_named(std::string_view name) const {
        const auto known = switch_index_.find(std::string(name));
        return known == switch_index_.end() ? -1 : known->second;
    }

    void add_idle_switches(const std::vector<SlurmHint>& hints) {
        index_names();
        for (const SlurmHint& hint : hints) {
            const SlurmSetting* idle = find(hint, "idle");
            if (idle == nullptr) continue;
            for (const SlurmName& name : names(*idle)) {
                if (machine_index_.contains(name.name)) continue;
                if (switch_index_.emplace(name.name, static_cast<int>(network_.switches.size())).second) {
                    network_.switches.push_back({name.name, default_priority});
                }
            }
        }
    }

    /// Hints of parts: leaves of the Slurm tree, each with the switch that it is a part of. Leaves that more hangs on
    /// than machines stay.
    void join_parts(const std::vector<SlurmHint>& hints) {
        std::vector<int> whole(network_.switches.size(), -1);
        for (const SlurmHint& hint : hints) {
            const SlurmSetting* part = find(hint, "part");
            const SlurmSetting* of = find(hint, "of");
            const int leaf = part == nullptr ? -1 : switch_named(part->value);
            if (leaf >= 0 && of != nullptr) whole[static_cast<std::size_t>(leaf)] = switch_named(of->value);
        }
        std::vector<int> trunks(whole.size(), 0);
        std::vector<char> is_below(whole.size(), 0);
        for (const Trunk& trunk : network_.trunks) {
            for (const int sw : {trunk.a, trunk.b}) {
                const auto i = static_cast<std::size_t>(sw);
                ++trunks[i];
                if (whole[i] == across(trunk, sw)) is_below[i] = 1;
            }
        }
        for (std::size_t sw = 0; sw < whole.size(); ++sw) {
            if (is_below[sw] == 0 || trunks[sw] != 1) whole[sw] = -1;
        }
        for (std::size_t sw = 0; sw < whole.size(); ++sw) {  // of two that are parts of each other neither is
            if (whole[sw] >= 0 && whole[static_cast<std::size_t>(whole[sw])] >= 0) whole[sw] = -1;
        }
        remove_parts(whole);
    }

    void remove_parts(const std::vector<int>& whole) {
        std::vector<int> place(whole.size());
        std::vector<Switch> kept;
        for (std::size_t sw = 0; sw < whole.size(); ++sw) {
            place[sw] = static_cast<int>(kept.size());
            if (whole[sw] < 0) kept.push_back(network_.switches[sw]);
        }
        const auto is_part = [&](int sw) { return whole[static_cast<std::size_t>(sw)] >= 0; };
        std::erase_if(network_.trunks, [&](const Trunk& trunk) { return is_part(trunk.a) || is_part(trunk.b); });
        const auto move = [&](int& sw) {
            if (is_part(sw)) sw = whole[static_cast<std::size_t>(sw)];
            sw = place[static_cast<std::size_t>(sw)];
        };
        for (Machine& machine : network_.machines) move(machine.sw);
        for (Trunk& trunk : network_.trunks) move(trunk.a), move(trunk.b);
        network_.switches = std::move(kept);
    }

    void sort_switches(const SlurmSetting& order) {
        std::unordered_map<std::string, std::size_t> place;
        for (const SlurmName& name : names(order)) place.emplace(name.name, place.size());
        for (const Switch& sw : network_.switches) place.emplace(sw.name, place.size());
        std::vector<std::string> old;
        for (const Switch& sw : network_.switches) old.push_back(sw.name);
        std::sort(network_.switches.begin(), network_.switches.end(),
                  [&](const Switch& a, const Switch& b) { return place[a.name] < place[b.name]; });
        std::unordered_map<std::string, int> index;
        for (const Switch& sw : network_.switches) index.emplace(sw.name, static_cast<int>(index.size()));
        const auto renumber = [&](int& sw) { sw = index[old[static_cast<std::size_t>(sw)]]; };
        for (Machine& machine : network_.machines) renumber(machine.sw);
        for (Trunk& trunk : network_.trunks) renumber(trunk.a), renumber(trunk.b);
        std::stable_sort(network_.machines.begin(), network_.machines.end(),
                         [](const Machine& a, const Machine& b) { return a.sw < b.sw; });
    }

    int number(const SlurmSetting& setting, int least, int most) {
        int value = 0;
        const char* end = setting.value.data() + setting.value.size();
        const auto [rest, error] = std::from_chars(setting.value.data(), end, value);
        if (error == std::errc{} && rest == end && value >= least && value <= most) return value;
        report_(setting.value_place,
                fmt::format("{} is not a number from {} to {}", in_quotes(setting.value), least, most));
        return least;
    }

    LinkSpeed speed(const SlurmHint& hint, LinkSpeed usual) {
        read(hint, "bandwidth", parse_bandwidth_Bps, usual.bandwidth_Bps);
        read(hint, "latency", parse_latency_s, usual.latency_s);
        return usual;
    }

    /// True, and changes `into`, if the hint has that key with a value that can be read.
    template <class Parse>
    bool read(const SlurmHint& hint, std::string_view key, Parse parse, double& into) {
        const SlurmSetting* setting = find(hint, key);
        if (setting == nullptr) return false;
        try {
            into = parse(setting->value);
            return true;
        } catch (const ParseError& error) {
            report_(setting->value_place, error.what());
            return false;
        }
    }

    std::optional<Software> software(const SlurmHint& hint, double port_bandwidth_Bps) {
        const auto cost = [](std::string_view text) { return parse_duration_s(text, most_software_s); };
        const auto byte_cost = [](std::string_view text) { return parse_duration_s(text, most_software_per_byte_s); };
        Software told = usual_software(port_bandwidth_Bps);
        const bool any[] = {read(hint, "send", cost, told.send_s), read(hint, "receive", cost, told.receive_s),
                            read(hint, "per_byte", byte_cost, told.per_byte_s),
                            read(hint, "copy_bandwidth", parse_bandwidth_Bps, told.copy_bandwidth_Bps),
                            read(hint, "copy_latency", parse_latency_s, told.copy_latency_s)};
        if (std::find(std::begin(any), std::end(any), true) == std::end(any)) return std::nullopt;
        return told;
    }

    /// The known ones among the machines of a list, each once.
    std::vector<int> machines(const SlurmSetting& setting) {
        std::vector<int> found;
        std::unordered_set<int> taken;
        for (const SlurmName& name : names(setting)) {
            const auto known = machine_index_.find(name.name);
            if (known != machine_index_.end() && taken.insert(known->second).second) found.push_back(known->second);
        }
        return found;
    }

    void apply_values(const SlurmHint& hint) {
        if (const SlurmSetting* site = find(hint, "name")) {
            if (is_library_name(site->value)) network_.name = site->value;
            const SlurmSetting* rule = find(hint, "spanning_tree");
            if (rule != nullptr && rule->value == name_of(SpanningTree::stp))
                network_.spanning_tree = SpanningTree::stp;
            if (rule != nullptr && rule->value == name_of(SpanningTree::none)) none_ = rule;
        } else if (const SlurmSetting* ports = find(hint, "ports")) {
            set_ports(hint, *ports);
        } else if (const SlurmSetting* priority = find(hint, "priority")) {
            const int value = number(*priority, 0, most_priority);
            if (const SlurmSetting* switches = find(hint, "switches")) {
                for (const SlurmName& name : names(*switches)) {
                    const int sw = switch_named(name.name);
                    if (sw >= 0) network_.switches[static_cast<std::size_t>(sw)].priority = value;
                }
            }
        } else if (const SlurmSetting* partition = find(hint, "partition")) {
            if (const SlurmSetting* of = find(hint, "machines")) add_partition(*partition, *of);
        } else if (const SlurmSetting* multicast = find(hint, "multicast")) {
            set_multicast(*multicast, find(hint, "interface"));
        } else if (const SlurmSetting* links = find(hint, "links")) {
            take_links(hint, *links, false);
        } else if (const SlurmSetting* more = find(hint, "more_links")) {
            take_links(hint, *more, true);
        }
    }

    void set_ports(const SlurmHint& hint, const SlurmSetting& ports) {
        const LinkSpeed none;
        const LinkSpeed told = speed(hint, none);
        const SlurmSetting* cores = find(hint, "cores");
        const int count = cores == nullptr ? 0 : number(*cores, 1, most_cores);
        const std::optional<Software> described = software(hint, told.bandwidth_Bps);
        for (const int machine : machines(ports)) {
            Machine& one = network_.machines[static_cast<std::size_t>(machine)];
            if (described) one.software = described;
            if (told.bandwidth_Bps != none.bandwidth_Bps) one.port.bandwidth_Bps = told.bandwidth_Bps;
            if (told.latency_s != none.latency_s) one.port.latency_s = told.latency_s;
            if (count > 0) one.cores = count;
        }
    }

    void add_partition(const SlurmSetting& name, const SlurmSetting& of) {
        std::vector<int> members = machines(of);
        if (!is_safe_name(name.value) || members.empty()) return;
        if (!partitions_.insert(name.value).second) {
            report_(name.value_place, fmt::format("partition {} is described twice", name.value));
            return;
        }
        network_.partitions.push_back({name.value, std::move(members)});
    }

    void set_multicast(const SlurmSetting& groups, const SlurmSetting* interface) {
        if (const std::string problem = multicast_problem(groups.value); !problem.empty()) {
            report_(groups.value_place, problem);
        }
        if (interface != nullptr && !is_interface_name(interface->value)) {
            report_(interface->value_place,
                    fmt::format("{} is not the name of a network interface, like eth0", in_quotes(interface->value)));
        }
        network_.multicast = Multicast{groups.value, interface == nullptr ? "" : interface->value};
    }

    void take_links(const SlurmHint& hint, const SlurmSetting& links, bool add) {
        if (known_ends_.empty()) {
            for (const Trunk& trunk : network_.trunks) known_ends_.insert(ends_of(trunk));
        }
        const SlurmSetting* cables = find(hint, "cables");
        const int count = cables == nullptr ? 1 : number(*cables, 1, most_cables);
        const LinkSpeed told = speed(hint, slurm_link);
        for (const HostlistItem& item : hostlist_items(links.value)) {
            const std::size_t colon = item.text.find(':');
            if (colon == std::string_view::npos) {
                report_({links.value_place.line, links.value_place.column + static_cast<int>(item.offset)},
                        fmt::format("{} is not a pair of switches; write it like s0:s1", in_quotes(item.text)));
                continue;
            }
            const int a = switch_named(item.text.substr(0, colon));
            const int b = switch_named(item.text.substr(colon + 1));
            if (a < 0 || b < 0 || a == b) continue;
            const Trunk trunk{a, b, told, count, true};
            if (!add && !known_ends_.contains(ends_of(trunk))) continue;
            if (listed_ends_.insert(ends_of(trunk)).second) listed_.push_back(trunk);
        }
    }

    /// Switches that Slurm's lines do not have hang on hints alone.
    void refuse_pieces(const std::vector<SlurmHint>& hints) {
        if (pieces_of(network_).size() > 1) {
            for (const SlurmHint& hint : hints) {
                if (const SlurmSetting* idle = find(hint, "idle")) {
                    report_(idle->value_place, "no more_links join some of these switches to the others");
                    return;
                }
            }
        }
        if (none_ == nullptr) return;
        network_.spanning_tree = SpanningTree::none;
        if (network_.trunks.size() < network_.switches.size()) return;
        report_(none_->value_place, "links form a cycle, which spanning_tree=none forbids");
    }

    Network& network_;
    HostlistExpander& expander_;
    const Report& report_;
    std::unordered_map<std::string, int> switch_index_;
    std::unordered_map<std::string, int> machine_index_;
    std::unordered_set<std::string> partitions_;
    std::vector<Trunk> listed_;
    std::set<TrunkEnds> listed_ends_;
    std::set<TrunkEnds> known_ends_;
    const SlurmSetting* none_ = nullptr;  // "spanning_tree=none"
};

}  // namespace

void take_slurm_hint(std::string_view comment, Place place, std::vector<SlurmHint>& hints, const Report& report) {
    constexpr std::string_view mark = " bcastgen ";
    if (!comment.starts_with(mark)) return;
    place.column += static_cast<int>(mark.size());
    hints.push_back(slurm_settings(comment.substr(mark.size()), place, report));
}

void apply_slurm_hints(const std::vector<SlurmHint>& hints, Imported& imported, HostlistExpander& expander,
                       const Report& report) {
    if (!hints.empty()) Hints(imported, expander, report).apply(hints);
}

}  // namespace bcastgen
