#include <nlohmann/json.hpp>
#include <utility>

#include "base/index.hpp"
#include "base/json_lines.hpp"
#include "tuner/wiring/verdict_formats.hpp"

namespace bcastgen {

namespace {

using WiringJson = nlohmann::ordered_json;

WiringJson measured_json(const Measured& measured) {
    if (measured.times == 0) return {};
    return {{"median_Bps", measured.median_Bps},
            {"least_Bps", measured.low_Bps},
            {"greatest_Bps", measured.high_Bps},
            {"measurements", measured.times}};
}

WiringJson finding_json(const Network& described, const Finding& finding) {
    const auto switch_name = [&](int sw) { return described.switches[at(sw)].name; };
    if (finding.differs == Differs::place) {
        const Machine& machine = described.machines[at(finding.machine)];
        return {{"differs", "place"},
                {"machine", machine.name},
                {"described_switch", switch_name(machine.sw)},
                {"switch", switch_name(finding.is_on)},
                {"by", finding.by_rates ? "rates" : "round trips"}};
    }
    WiringJson json;
    if (finding.differs == Differs::port) {
        const Machine& machine = described.machines[at(finding.machine)];
        json = {{"differs", "port"}, {"machine", machine.name}, {"switch", switch_name(machine.sw)}};
    } else {
        const Trunk& trunk = described.trunks[at(finding.trunk)];
        json = {{"differs", "trunk"}, {"between", {switch_name(trunk.a), switch_name(trunk.b)}}};
        if (finding.cables_left > 0) json["cables"] = finding.cables_left;
    }
    json["described_Bps"] = finding.described_Bps;
    json["bandwidth_Bps"] = finding.is_Bps;
    json["out"] = measured_json(finding.out);
    json["in"] = measured_json(finding.in);
    json["or"] = finding.also;
    return json;
}

}  // namespace

std::string verdict_json(const Network& described, const WiringVerdict& verdict) {
    WiringJson differences = WiringJson::array();
    for (const Finding& finding : verdict.findings) differences.push_back(finding_json(described, finding));
    const WiringJson json = {{"format", "bcastgen-verify/1"},
                             {"topology", described.name},
                             {"true", verdict.findings.empty() && verdict.unclear.empty()},
                             {"machines", verdict.machines},
                             {"rounds", verdict.rounds},
                             {"efficiency", verdict.efficiency},
                             {"round_trips_tell", verdict.round_trips_tell},
                             {"differences", std::move(differences)},
                             {"unclear", verdict.unclear},
                             {"not_shown", verdict.not_shown}};
    return json_lines(json);
}

}  // namespace bcastgen
