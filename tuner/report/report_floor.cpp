#include <algorithm>
#include <optional>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "tuner/clusters/costed_network.hpp"
#include "tuner/measure/measure_options.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

/// As the cluster that measured would say (Cluster::costed_network). Throws ParseError for a rate that is none.
std::optional<CostedNetwork> costed_network_of(const RunConditions& on, const Network& network) {
    if (!on.network.empty()) return as_simulated(network, on.network);
    if (!on.rate.empty()) return at_rate(network, parse_bandwidth_Bps(on.rate));
    if (on.hosts == "this host") return std::nullopt;
    return as_described(network);
}

std::string machine_list_of(const RunView& view, const Findings& findings) {
    for (const StoredPlacement& one : view.stored.placements) {
        if (one.machines == findings.shape.machines && one.placement == findings.placement) return one.machine_list;
    }
    return "";
}

}  // namespace

void add_floors(RunView& view) {
    if (!view.network) return;
    const RunConditions& on = view.stored.run.conditions;
    try {
        const std::optional<CostedNetwork> costed = costed_network_of(on, *view.network);
        if (!costed) return;
        for (Findings& findings : view.findings) {
            const std::string machines = machine_list_of(view, findings);
            if (machines.empty() || !judged_by_completion(findings.shape)) continue;
            const TakingPart part = taking_part(*view.network, machines, on.root);
            for (const std::size_t bytes : sizes_of(findings)) {
                findings.floor_us[bytes] = costed->floor_us(part.machines, part.root, bytes);
            }
        }
    } catch (const ParseError&) {   // a store may hold anything: then there is no floor to show
    } catch (const InputErrors&) {  // nor is there one for machines that the topology has not
    }
}

}  // namespace bcastgen
