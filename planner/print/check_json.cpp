#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/json_lines.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/print/check_formats.hpp"
#include "planner/print/proof_scope.hpp"

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

Json ends_json(const Network& network, const Trunk& trunk) {
    return {network.switches[at(trunk.a)].name, network.switches[at(trunk.b)].name};
}

Json spanning_tree_json(const Network& network, const SwitchTree& tree) {
    Json idle = Json::array();
    for (const Trunk& trunk : network.trunks) {
        if (!trunk.in_tree && trunk.bounded_by < 0) idle.push_back(ends_json(network, trunk));
    }
    return {{"rule", name_of(network.spanning_tree)},
            {"root", network.switches[at(tree.root)].name},
            {"folded_clos", is_folded_clos(network)},
            {"proved_trunks", trunks_in_use(network)},
            {"idle", std::move(idle)}};
}

Json switches_json(const Network& network, const SwitchTree& tree) {
    std::vector<Json> machines(network.switches.size(), Json::array());
    for (const Machine& machine : network.machines) machines[at(machine.sw)].push_back(machine.name);
    Json switches = Json::array();
    for (const int sw : switches_top_down(tree)) {
        const int parent = parent_of(network, tree, sw);
        switches.push_back({{"switch", network.switches[at(sw)].name},
                            {"parent", parent < 0 ? Json() : Json(network.switches[at(parent)].name)},
                            {"machines", std::move(machines[at(sw)])}});
    }
    return switches;
}

Json software_json(const Machine& machine) {
    const Software software = software_of(machine);
    return {{"send_s", software.send_s},
            {"receive_s", software.receive_s},
            {"per_byte_s", software.per_byte_s},
            {"copy_bandwidth_Bps", software.copy_bandwidth_Bps},
            {"copy_latency_s", software.copy_latency_s},
            {"described", machine.software.has_value()}};
}

Json ports_json(const Network& network) {
    Json ports = Json::array();
    for (const Machine& machine : network.machines) {
        ports.push_back({{"machine", machine.name},
                         {"switch", network.switches[at(machine.sw)].name},
                         {"bandwidth_Bps", machine.port.bandwidth_Bps},
                         {"latency_s", machine.port.latency_s},
                         {"cores", machine.cores},
                         {"software", software_json(machine)}});
    }
    return ports;
}

Json trunks_json(const Network& network) {
    Json trunks = Json::array();
    for (const Trunk& trunk : network.trunks) {
        trunks.push_back({{"between", ends_json(network, trunk)},
                          {"bandwidth_Bps", trunk.speed.bandwidth_Bps},
                          {"latency_s", trunk.speed.latency_s},
                          {"cables", trunk.cables},
                          {"in_use", trunk.in_tree || trunk.bounded_by >= 0}});
    }
    return trunks;
}

Json partitions_json(const Network& network) {
    Json partitions = Json::array();
    for (const Partition& partition : network.partitions) {
        Json machines = Json::array();
        for (const int machine : partition.machines) machines.push_back(network.machines[at(machine)].name);
        partitions.push_back({{"partition", partition.name}, {"machines", std::move(machines)}});
    }
    return partitions;
}

Json routes_json(const Network& network, const Routes& routes) {
    Json trees = Json::array();
    for (const RouteCheck& check : check_routes(network, routes)) {
        trees.push_back({{"tree", bcast::tree_name_of(check.tree)},
                         {"heaviest_trunk_load", check.heaviest},
                         {"stage", check.stage},
                         {"contention_free", check.contention_free}});
    }
    return trees;
}

}  // namespace

std::string check_json(const Network& network, const Routes* routes) {
    const SwitchTree tree = shown_tree(network);
    Json json{{"format", "bcastgen-check/1"},
              {"topology", network.name},
              {"machines", network.machines.size()},
              {"switches", network.switches.size()},
              {"depth", tree.levels},
              {"spanning_tree", spanning_tree_json(network, tree)},
              {"switch_tree", switches_json(network, tree)},
              {"ports", ports_json(network)},
              {"trunks", trunks_json(network)},
              {"partitions", partitions_json(network)}};
    if (network.multicast) {
        json["multicast"] = {{"groups", network.multicast->groups}, {"interface", network.multicast->interface}};
    }
    if (routes != nullptr) json["routes"] = routes_json(network, *routes);
    return json_lines(json);
}

}  // namespace bcastgen
