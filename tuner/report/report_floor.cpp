#include <optional>

#include "base/diagnostic.hpp"
#include "tuner/clusters/costed_network.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/measure_options.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

/// As the cluster that measured would say (Cluster::costed_network).
std::optional<CostedNetwork> costed_network_of(const RunConditions& on, const Network& network) {
    if (!on.network.empty()) return as_simulated(network, on.network);
    if (recorded_cluster_kind(on.cluster).shares_host || on.hosts == "this host") return std::nullopt;
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
    } catch (const InputErrors&) {  // a store may hold anything: machines that the topology has not have no floor
    }
}

}  // namespace bcastgen
