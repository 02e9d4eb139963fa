#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/index.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/print/switch_drawing.hpp"
#include "planner/topology/topology_writer.hpp"
#include "tuner/wiring/cable_names.hpp"
#include "tuner/wiring/verdict_formats.hpp"

namespace bcastgen {

namespace {

std::string measured_text(const Measured& measured, const std::string& from, const std::string& to) {
    const std::string low = rate_text(measured.low_Bps);
    const std::string high = rate_text(measured.high_Bps);
    const std::string range = low == high ? "each of" : fmt::format("{} to {} in", low, high);
    return fmt::format("{} to {} {} ({} {} times)", from, to, rate_text(measured.median_Bps), range, measured.times);
}

const std::string& switch_of(const Network& network, int machine) {
    return network.switches[at(network.machines[at(machine)].sw)].name;
}

/// A mark at every switch that a difference is to be seen at.
std::vector<std::vector<std::string>> marks_of(const Network& described, const SwitchTree& tree,
                                               const WiringVerdict& verdict) {
    std::vector<std::vector<std::string>> marks(described.switches.size());
    for (const Finding& finding : verdict.findings) {
        if (finding.differs == Differs::trunk) {
            const Trunk& trunk = described.trunks[at(finding.trunk)];
            const int below = tree.parent_trunk[at(trunk.a)] == finding.trunk ? trunk.a : trunk.b;
            marks[at(below)].push_back("<- " + difference_text(described, finding));
            continue;
        }
        const Machine& machine = described.machines[at(finding.machine)];
        if (finding.differs == Differs::port) {
            marks[at(machine.sw)].push_back(fmt::format("<- {}: {}", machine.name, format_bandwidth(finding.is_Bps)));
            continue;
        }
        marks[at(machine.sw)].push_back(
            fmt::format("<- without {}: on {}", machine.name, described.switches[at(finding.is_on)].name));
        marks[at(finding.is_on)].push_back(fmt::format("<- and {}", machine.name));
    }
    return marks;
}

std::string lines_of(const std::string& title, const std::vector<std::string>& lines) {
    std::string text = lines.empty() ? "" : "\n" + title + "\n";
    for (const std::string& line : lines) text += "  " + line + "\n";
    return text;
}

}  // namespace

std::string difference_text(const Network& described, const Finding& finding) {
    if (finding.differs == Differs::place) {
        return fmt::format("{} hangs on {}, not on {}", described.machines[at(finding.machine)].name,
                           described.switches[at(finding.is_on)].name, switch_of(described, finding.machine));
    }
    const std::string speeds =
        fmt::format("{}, not {}", format_bandwidth(finding.is_Bps), format_bandwidth(finding.described_Bps));
    if (finding.differs == Differs::port) {
        return fmt::format("{}: {}", port_name(described, finding.machine), speeds);
    }
    const Trunk& trunk = described.trunks[at(finding.trunk)];
    if (finding.cables_left == 0) return fmt::format("{}: {}", trunk_name(described, finding.trunk), speeds);
    return fmt::format("{}: {} of {}, not {}", trunk_name(described, finding.trunk),
                       counted(finding.cables_left, "cable", "cables"), format_bandwidth(trunk.speed.bandwidth_Bps),
                       trunk.cables);
}

std::string evidence_text(const Network& described, const Finding& finding) {
    if (finding.differs == Differs::place) {
        return finding.by_rates ? "by the trunks that its streams share with others"
                                : "by round trips to machines of every switch";
    }
    std::string from;
    std::string to;
    if (finding.differs == Differs::port) {
        from = described.machines[at(finding.machine)].name;
        to = switch_of(described, finding.machine);
    } else {
        from = described.switches[at(described.trunks[at(finding.trunk)].a)].name;
        to = described.switches[at(described.trunks[at(finding.trunk)].b)].name;
    }
    std::string text;
    if (finding.out.times > 0) text += measured_text(finding.out, from, to);
    if (finding.in.times > 0) text += (text.empty() ? "" : ", ") + measured_text(finding.in, to, from);
    if (finding.out.times == 0 || finding.in.times == 0) text += "; the other way as described";
    if (!finding.also.empty()) {
        text += fmt::format("; or it is {}, which every stream that crosses one crosses too", listed(finding.also));
    }
    return text;
}

std::string verdict_text(const Network& described, const WiringVerdict& verdict) {
    const std::string asked = fmt::format("{} in {}", counted(verdict.machines, "machine", "machines"),
                                          counted(verdict.rounds, "round", "rounds"));
    const std::string share = fmt::format("streams get {:.0f} % of what links have", 100 * verdict.efficiency);
    std::string text;
    if (verdict.findings.empty() && verdict.unclear.empty()) {
        text = fmt::format("{} is true: {}, every port and trunk that they can show is as described; {}\n",
                           described.name, asked, share);
    } else {
        text = fmt::format("{}: {}, {}; {}\n", described.name,
                           verdict.findings.empty() ? "nothing differs for certain"
                                                    : counted(verdict.findings.size(), "difference", "differences"),
                           asked, share);
    }
    for (const Finding& finding : verdict.findings) {
        text +=
            fmt::format("\n  {}\n      {}\n", difference_text(described, finding), evidence_text(described, finding));
    }
    text += lines_of("unclear:", verdict.unclear) + lines_of("not shown by any stream:", verdict.not_shown);
    if (verdict.findings.empty()) return text;
    const SwitchTree tree = shown_tree(described);
    return text + "\n" + draw_switches(described, tree, marks_of(described, tree, verdict));
}

std::string corrected_topology(const Network& described, const WiringVerdict& verdict) {
    TopologyRemarks remarks;
    for (const Finding& finding : verdict.findings) {
        const std::string remark =
            fmt::format("{}: {}", difference_text(described, finding), evidence_text(described, finding));
        if (finding.differs == Differs::place) remarks.switches[finding.is_on].push_back(remark);
        if (finding.differs == Differs::port) remarks.machines[finding.machine].push_back(remark);
        if (finding.differs == Differs::trunk) remarks.trunks[finding.trunk].push_back(remark);
    }
    std::vector<std::string> head{
        fmt::format("Corrected by bcastgen verify: {}.",
                    counted(verdict.findings.size(), "change", "changes, each with a comment above it"))};
    for (const std::string& open : verdict.unclear) head.push_back("Unclear: " + open);
    return write_topology(verdict.corrected, head, remarks);
}

}  // namespace bcastgen
