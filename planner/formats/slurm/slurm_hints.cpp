// Comments in which export_slurm keeps what Slurm cannot express:
//
//   # bcastgen name=NAME spanning_tree=RULE
//   # bcastgen switches=HOSTLIST                     all switches, in the order of the topology file
//   # bcastgen idle=HOSTLIST                         those of them that have no machine below
//   # bcastgen part=LEAF of=SWITCH                   LEAF stands for the ports of SWITCH itself
//   # bcastgen ports=HOSTLIST bandwidth=B latency=L cores=N
//   # bcastgen links=A:B,C:D bandwidth=B latency=L cables=N
//   # bcastgen more_links=A:B bandwidth=B latency=L cables=N      links that are not in the Slurm tree
//   # bcastgen priority=N switches=HOSTLIST; partition=NAME machines=HOSTLIST; multicast=RANGE interface=NAME
//
// They refine what Slurm's own lines say and never contradict them: hints to what those lines no longer have are
// ignored.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

class Hints {
  public:
    Hints(Imported& imported, const Report& report) : network_(imported.network), report_(report) {}

    void apply(const std::vector<SlurmHint>& hints) {
        for (const SlurmHint& hint : hints) {
            if (const SlurmSetting* idle = find(hint, "idle")) {
                for (const SlurmName& name : names(*idle)) network_.switches.push_back({name.name, default_priority});
            }
        }
        for (const SlurmHint& hint : hints) {
            if (const SlurmSetting* part = find(hint, "part")) join_part(*part, find(hint, "of"));
        }
        for (const SlurmHint& hint : hints) {
            if (const SlurmSetting* order = find(hint, "switches"); order != nullptr && hint.size() == 1)
                sort_switches(*order);
        }
        for (const SlurmHint& hint : hints) apply_values(hint);
        std::vector<Trunk> trunks = std::move(listed_);
        for (const Trunk& trunk : network_.trunks) {
            const bool listed = std::any_of(trunks.begin(), trunks.end(), [&](const Trunk& one) {
                return std::minmax(one.a, one.b) == std::minmax(trunk.a, trunk.b);
            });
            if (!listed) trunks.push_back(trunk);
        }
        network_.trunks = std::move(trunks);
    }

  private:
    static const SlurmSetting* find(const SlurmHint& hint, std::string_view key) {
        const auto at = std::find_if(hint.begin(), hint.end(), [&](const SlurmSetting& one) { return one.key == key; });
        return at == hint.end() ? nullptr : &*at;
    }

    std::vector<SlurmName> names(const SlurmSetting& setting) {
        return slurm_names(setting.value, setting.value_place, report_);
    }

    int switch_named(std::string_view name) const {
        for (std::size_t sw = 0; sw < network_.switches.size(); ++sw) {
            if (network_.switches[sw].name == name) return static_cast<int>(sw);
        }
        return -1;
    }

    void join_part(const SlurmSetting& part, const SlurmSetting* of) {
        const int leaf = switch_named(part.value);
        const int whole = of == nullptr ? -1 : switch_named(of->value);
        if (leaf < 0 || whole < 0) return;
        std::erase_if(network_.trunks,
                      [&](const Trunk& trunk) { return std::minmax(trunk.a, trunk.b) == std::minmax(leaf, whole); });
        const bool in_use = std::any_of(network_.trunks.begin(), network_.trunks.end(),
                                        [&](const Trunk& trunk) { return trunk.a == leaf || trunk.b == leaf; });
        for (Machine& machine : network_.machines) {
            if (machine.sw == leaf) machine.sw = whole;
        }
        if (in_use) return;  // someone has put switches below it
        const auto renumbered = [leaf](int sw) { return sw > leaf ? sw - 1 : sw; };
        for (Machine& machine : network_.machines) machine.sw = renumbered(machine.sw);
        for (Trunk& trunk : network_.trunks) trunk.a = renumbered(trunk.a), trunk.b = renumbered(trunk.b);
        network_.switches.erase(network_.switches.begin() + leaf);
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

    int number(const SlurmSetting& setting) {
        int value = 0;
        const char* end = setting.value.data() + setting.value.size();
        const auto [rest, error] = std::from_chars(setting.value.data(), end, value);
        constexpr int most = 1'000'000;
        if (error == std::errc{} && rest == end && value >= 0 && value <= most) return value;
        report_(setting.value_place, fmt::format("{} is not a number", in_quotes(setting.value)));
        return 1;
    }

    LinkSpeed speed(const SlurmHint& hint, LinkSpeed usual) {
        const auto read = [&](std::string_view key, double (*parse)(std::string_view), double& into) {
            const SlurmSetting* setting = find(hint, key);
            if (setting == nullptr) return;
            try {
                into = parse(setting->value);
            } catch (const ParseError& error) {
                report_(setting->value_place, error.what());
            }
        };
        read("bandwidth", parse_bandwidth_Bps, usual.bandwidth_Bps);
        read("latency", parse_latency_s, usual.latency_s);
        return usual;
    }

    std::unordered_map<std::string, std::size_t> machine_index() const {
        std::unordered_map<std::string, std::size_t> index;
        for (const Machine& machine : network_.machines) index.emplace(machine.name, index.size());
        return index;
    }

    std::vector<int> machines(const SlurmSetting& setting) {
        const std::unordered_map<std::string, std::size_t> index = machine_index();
        std::vector<int> found;
        for (const SlurmName& name : names(setting)) {
            const auto known = index.find(name.name);
            if (known != index.end()) found.push_back(static_cast<int>(known->second));
        }
        return found;
    }

    void apply_values(const SlurmHint& hint) {
        if (const SlurmSetting* site = find(hint, "name")) {
            if (is_library_name(site->value)) network_.name = site->value;
            const SlurmSetting* rule = find(hint, "spanning_tree");
            if (rule != nullptr && rule->value == name_of(SpanningTree::stp))
                network_.spanning_tree = SpanningTree::stp;
            if (rule != nullptr && rule->value == name_of(SpanningTree::none))
                network_.spanning_tree = SpanningTree::none;
        } else if (const SlurmSetting* ports = find(hint, "ports")) {
            const SlurmSetting* cores = find(hint, "cores");
            for (const int machine : machines(*ports)) {
                Machine& one = network_.machines[static_cast<std::size_t>(machine)];
                one.port = speed(hint, one.port);
                if (cores != nullptr) one.cores = number(*cores);
            }
        } else if (const SlurmSetting* priority = find(hint, "priority")) {
            if (const SlurmSetting* switches = find(hint, "switches")) {
                for (const SlurmName& name : names(*switches)) {
                    const int sw = switch_named(name.name);
                    if (sw >= 0) network_.switches[static_cast<std::size_t>(sw)].priority = number(*priority);
                }
            }
        } else if (const SlurmSetting* partition = find(hint, "partition")) {
            const SlurmSetting* of = find(hint, "machines");
            if (of != nullptr && is_safe_name(partition->value))
                network_.partitions.push_back({partition->value, machines(*of)});
        } else if (const SlurmSetting* multicast = find(hint, "multicast")) {
            const SlurmSetting* interface = find(hint, "interface");
            network_.multicast = Multicast{multicast->value, interface == nullptr ? "" : interface->value};
        } else if (const SlurmSetting* links = find(hint, "links")) {
            take_links(hint, *links, false);
        } else if (const SlurmSetting* more = find(hint, "more_links")) {
            take_links(hint, *more, true);
        }
    }

    void take_links(const SlurmHint& hint, const SlurmSetting& links, bool add) {
        const SlurmSetting* cables = find(hint, "cables");
        for (const HostlistItem& item : hostlist_items(links.value)) {
            const std::size_t colon = item.text.find(':');
            if (colon == std::string_view::npos) {
                report_({links.value_place.line, links.value_place.column + static_cast<int>(item.offset)},
                        fmt::format("{} is not a pair of switches; write it like s0:s1", in_quotes(item.text)));
                continue;
            }
            const int a = switch_named(item.text.substr(0, colon));
            const int b = switch_named(item.text.substr(colon + 1));
            const auto known = std::find_if(network_.trunks.begin(), network_.trunks.end(), [&](const Trunk& trunk) {
                return std::minmax(trunk.a, trunk.b) == std::minmax(a, b);
            });
            if (a < 0 || b < 0 || a == b || (known == network_.trunks.end() && !add)) continue;
            Trunk trunk{a, b, speed(hint, slurm_link), cables == nullptr ? 1 : std::max(1, number(*cables)), true};
            listed_.push_back(trunk);
        }
    }

    Network& network_;
    const Report& report_;
    std::vector<Trunk> listed_;
};

}  // namespace

void apply_slurm_hints(const std::vector<SlurmHint>& hints, Imported& imported, const Report& report) {
    if (!hints.empty()) Hints(imported, report).apply(hints);
}

}  // namespace bcastgen
