#include "tuner/wiring/conclusions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/index.hpp"
#include "base/units.hpp"
#include "tuner/wiring/usual_speed.hpp"

namespace bcastgen {

namespace {

constexpr double near_whole_cables = 0.06;  // relative
constexpr double well_filled = 0.95;        // of what a trunk carries

bool is_slow_alone(const Network& network, const Alone& alone, const Yardstick& yardstick) {
    if (alone.round.streams.empty()) return false;
    const double ratio =
        measured_alone(alone).median_Bps / yardstick.alone_efficiency / expected_alone_Bps(network, alone);
    return ratio < yardstick.least_ratio(static_cast<int>(alone.round.streams.size()));
}

/// Puts the link right in the network, and says how.
void correct(Network& network, Finding& finding, double is_Bps) {
    if (finding.differs == Differs::port) {
        finding.is_Bps = usual_speed_Bps(is_Bps);
        network.machines[at(finding.machine)].port.bandwidth_Bps = finding.is_Bps;
        return;
    }
    Trunk& trunk = network.trunks[at(finding.trunk)];
    const double cables = is_Bps / trunk.speed.bandwidth_Bps;
    const double whole = std::round(cables);
    if (trunk.cables > 1 && whole >= 1 && std::abs(cables - whole) < near_whole_cables * whole) {
        finding.cables_left = static_cast<int>(whole);
        finding.is_Bps = whole * trunk.speed.bandwidth_Bps;
        trunk.cables = finding.cables_left;
        return;
    }
    finding.is_Bps = usual_speed_Bps(is_Bps);
    trunk.speed.bandwidth_Bps = finding.is_Bps / trunk.cables;
}

}  // namespace

std::vector<Finding> links_that_differ(Network& network, const Evidence& evidence, const std::map<LinkId, Alone>& alone,
                                       const Yardstick& yardstick, const std::string& or_elsewhere,
                                       std::vector<std::string>& unclear) {
    const Network before = network;
    const Capacities capacities = described_capacities(before);
    std::set<LinkId> differing;
    for (const SlowLink& one : slow_links(before, capacities, evidence, yardstick)) {
        const auto found = alone.find(one.link);
        if (found != alone.end() && is_slow_alone(before, found->second, yardstick)) {
            differing.insert(one.link);
            continue;
        }
        unclear.push_back(
            fmt::format("streams from {} to {} were slow beside others, but not alone: measure again, or look for "
                        "other traffic",
                        link_from(before, one.link), link_to(before, one.link)));
    }
    for (const LinkId link : fast_links(before, evidence, yardstick)) {
        const auto found = alone.find(link);
        if (found == alone.end() || found->second.round.streams.empty()) continue;
        const double described_Bps = capacities.link_Bps[at(link)];
        const double alone_Bps = measured_alone(found->second).median_Bps / yardstick.alone_efficiency;
        if (alone_Bps <= most_excess * described_Bps) continue;
        if (or_elsewhere.empty()) {
            differing.insert(link);
            continue;
        }
        unclear.push_back(
            fmt::format("{} to {} seems to carry {}, not {}: so it does, or not all that seems to cross it does, for "
                        "machines hang elsewhere, and nothing tells which of these: {}",
                        link_from(before, link), link_to(before, link), format_bandwidth(usual_speed_Bps(alone_Bps)),
                        format_bandwidth(described_Bps), or_elsewhere));
    }
    std::vector<Finding> findings;
    for (const LinkId link : differing) {
        if (link % 2 == 1 && differing.count(link - 1) != 0) continue;  // with the other direction
        const bool port = is_port(before, link);
        Finding finding;
        finding.differs = port ? Differs::port : Differs::trunk;
        finding.machine = port ? link / 2 : -1;
        finding.trunk = port ? -1 : link / 2 - static_cast<int>(before.machines.size());
        finding.described_Bps = capacities.link_Bps[at(link)];
        double is_Bps = 0;
        for (const LinkId one : {link & ~1, link | 1}) {
            if (differing.count(one) == 0) continue;
            const Measured measured = measured_alone(alone.at(one));
            (one % 2 == 0 ? finding.out : finding.in) = measured;
            const double own_Bps = measured.median_Bps / yardstick.alone_efficiency;
            is_Bps = is_Bps == 0 ? own_Bps : std::min(is_Bps, own_Bps);
        }
        for (const LinkId other : inseparable_from(before, evidence, link)) {
            finding.also.push_back(fmt::format("{} to {}", link_from(before, other), link_to(before, other)));
        }
        correct(network, finding, is_Bps);
        findings.push_back(std::move(finding));
    }
    return findings;
}

std::vector<std::string> trunks_not_filled(const Network& network, const Evidence& evidence) {
    std::vector<std::string> lines;
    if (is_folded_clos(network)) return lines;
    const Capacities capacities = described_capacities(network);
    const std::vector<Reading> readings = readings_of(network, capacities, evidence, 1);
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (!trunk.in_tree) continue;
        const LinkId link = trunk_link(network, static_cast<int>(t), true);
        const double sent_Bps = std::min(readings[at(link)].expected_Bps, readings[at(link + 1)].expected_Bps);
        if (sent_Bps >= well_filled * capacities.link_Bps[at(link)]) continue;
        const std::string name =
            fmt::format("trunk {} - {}", network.switches[at(trunk.a)].name, network.switches[at(trunk.b)].name);
        lines.push_back(sent_Bps == 0 ? fmt::format("{}: nobody who takes part is on one side of it", name)
                                      : fmt::format("{}: of {} no more than {} can be sent over it", name,
                                                    format_bandwidth(capacities.link_Bps[at(link)]),
                                                    format_bandwidth(usual_speed_Bps(sent_Bps))));
    }
    return lines;
}

}  // namespace bcastgen
