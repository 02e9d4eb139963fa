#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/units.hpp"
#include "base/utf8.hpp"
#include "base/wording.hpp"
#include "bcast/facts/multicast_groups.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/print/check_formats.hpp"
#include "planner/print/group_collision.hpp"
#include "planner/print/proof_scope.hpp"
#include "planner/print/switch_drawing.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_idle_lines = 24;

/// The same, as one of several.
std::string counted_trunk_text(const Trunk& trunk) {
    return trunk.cables == 1 ? trunk_text(trunk) : "(" + trunk_text(trunk) + ")";
}

/// Each value with how often it occurs, the most frequent first.
std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<std::string>& values) {
    std::map<std::string, std::size_t> counts;
    for (const std::string& value : values) ++counts[value];
    std::vector<std::pair<std::string, std::size_t>> rows(counts.begin(), counts.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return rows;
}

/// A line for each speed: "  ports          16 x 100Mbit/s 20us".
std::string tally_lines(std::string_view what, const std::vector<std::string>& values) {
    std::string text;
    for (const auto& [value, number] : tally(values)) {
        text += fmt::format("  {:<14} {} x {}\n", text.empty() ? what : "", number, value);
    }
    return text;
}

/// "16 on 150 machines, 64 on 128"
std::string cores_text(const std::vector<std::string>& cores) {
    std::string text;
    for (const auto& [value, number] : tally(cores)) {
        const bool first = text.empty();
        text += fmt::format("{}{} on {}", first ? "" : ", ", value,
                            first ? counted(number, "machine", "machines") : std::to_string(number));
    }
    return text;
}

/// "send 2.5us, receive 2.5us, per byte 0.1ns; copy 80Gbit/s 400ns (usual)"
std::string software_text(const Machine& machine) {
    const Software software = software_of(machine);
    std::string text =
        fmt::format("send {}, receive {}", format_latency(software.send_s), format_latency(software.receive_s));
    if (software.per_byte_s > 0) text += ", per byte " + format_latency(software.per_byte_s);
    text += "; copy " + speed_text({software.copy_bandwidth_Bps, software.copy_latency_s});
    return text + (machine.software ? "" : " (usual)");
}

std::string spanning_tree_text(const Network& network, const SwitchTree& tree) {
    const std::size_t in_tree = network.switches.size() - 1;
    if (network.trunks.size() == in_tree) return "not needed: the links form a tree";
    if (is_folded_clos(network)) {
        const auto lower = [](const Switch& a, const Switch& b) { return a.level < b.level; };
        const int top = std::max_element(network.switches.begin(), network.switches.end(), lower)->level;
        return fmt::format(
            "not needed: a folded Clos of {} levels, any up/down routes; shown with one switch for each "
            "set of equal ones, root {}",
            top + 1, network.switches[at(tree.root)].name);
    }
    return fmt::format("{}, {} of {} trunks idle, root {}",
                       network.spanning_tree == SpanningTree::stp ? "stp (802.1D)" : "auto (the widest)",
                       network.trunks.size() - in_tree, network.trunks.size(), network.switches[at(tree.root)].name);
}

/// The probability that communicators which draw their groups at random share one.
std::string shared_group_line(const std::string& groups) {
    constexpr int communicators = 1000;
    const std::optional<bcast::GroupRange> range = bcast::parse_groups(groups);
    if (!range) return "";
    const double addresses = std::ldexp(1.0, (range->six ? 128 : 32) - range->prefix);
    return fmt::format("                 {} communicators at once: two share group and port with probability {:.2g}\n",
                       communicators, collision_probability(communicators, addresses * double{bcast::group_ports}));
}

std::string figures(const Network& network, const SwitchTree& tree) {
    std::vector<std::string> ports;
    std::vector<std::string> cores;
    std::vector<std::string> software;
    for (const Machine& machine : network.machines) {
        ports.push_back(speed_text(machine.port));
        cores.push_back(std::to_string(machine.cores));
        software.push_back(software_text(machine));
    }
    std::vector<std::string> trunks;
    for (const Trunk& trunk : network.trunks) trunks.push_back(counted_trunk_text(trunk));
    const int levels = tree.levels;
    std::string text = fmt::format("  depth          {}\n", counted(levels, "switch level", "switch levels"));
    text += fmt::format("  spanning tree  {}\n", spanning_tree_text(network, tree));
    if (has_idle_trunks(network)) {
        const std::string advice = routes_advice(network);
        text += fmt::format("  proofs         hold{}{}{}\n", proof_scope(network).substr(1), advice.empty() ? "" : "; ",
                            advice);
    }
    text += tally_lines("ports", ports) + tally_lines("trunks", trunks);
    text += fmt::format("  cores          {}\n", cores_text(cores));
    text += tally_lines("software", software);
    for (const Partition& partition : network.partitions) {
        std::vector<std::string> names;
        for (const int machine : partition.machines) names.push_back(network.machines[at(machine)].name);
        text += fmt::format("  partition      {}: {}, {}\n", partition.name,
                            counted(names.size(), "machine", "machines"), hostlist_text(names));
    }
    if (network.multicast) {
        const std::string& interface = network.multicast->interface;
        text += fmt::format("  multicast      {}{}\n", network.multicast->groups,
                            interface.empty() ? "" : " on " + interface);
        text += shared_group_line(network.multicast->groups);
    }
    return text;
}

/// A row for each run of idle trunks that one switch has, of one speed: "spine1 ─ leaf[1-7]".
std::string idle_trunks(const Network& network) {
    struct Run {
        int from;
        std::string speed;
        std::vector<std::string> to;
    };
    std::vector<Run> runs;
    for (const Trunk& trunk : network.trunks) {
        if (trunk.in_tree || trunk.bounded_by >= 0) continue;
        const std::string speed = counted_trunk_text(trunk);
        if (runs.empty() || runs.back().from != trunk.a || runs.back().speed != speed) {
            runs.push_back({trunk.a, speed, {}});
        }
        runs.back().to.push_back(network.switches[at(trunk.b)].name);
    }
    if (runs.empty()) return "";
    std::vector<Row> rows;
    for (const Run& run : runs) {
        if (rows.size() == most_idle_lines) {
            rows.push_back({fmt::format("… {} more lines (all with --format json)", runs.size() - rows.size())});
            break;
        }
        const std::string times = run.to.size() == 1 ? "" : fmt::format("{} x ", run.to.size());
        rows.push_back(
            {fmt::format("{} ─ {}", network.switches[at(run.from)].name, hostlist_text(run.to)), times + run.speed});
    }
    return "\n  idle trunks\n" + text_table(rows);
}

std::string routes_text(const Network& network, const Routes& routes) {
    std::vector<Row> rows{{"tree", "heaviest trunk", "stage", ""}};
    for (const RouteCheck& check : check_routes(network, routes)) {
        rows.push_back({std::string(bcast::tree_name_of(check.tree)), fmt::format("{:.4g}", check.heaviest),
                        fmt::format("{:.4g}", check.stage), check.contention_free ? "contention-free" : ""});
    }
    return "\n  along the forwarding tables\n" + text_table(rows);
}

}  // namespace

std::string check_text(const Network& network, const Routes* routes) {
    const SwitchTree tree = shown_tree(network);
    return fmt::format("{}: {} on {}\n", network.name, counted(network.machines.size(), "machine", "machines"),
                       counted(network.switches.size(), "switch", "switches")) +
           figures(network, tree) + "\n" + draw_switches(network, tree) + idle_trunks(network) +
           (routes == nullptr ? "" : routes_text(network, *routes));
}

}  // namespace bcastgen
