#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json_lines.hpp"
#include "bcast/trees/circulant.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

const std::string& name_at(const Network& network, int machine) {
    return network.machines[static_cast<std::size_t>(machine)].name;
}

Json tree_json(const Network& network, const bcast::Order& order, const ShareTree& tree) {
    Json edges = Json::array();
    for (const auto& [from, to] : machine_edges(order, tree.tree)) {
        edges.push_back({name_at(network, from), name_at(network, to)});
    }
    return {{"share", tree.share},
            {"height", height_of(tree.tree)},
            {"fanout", fanout(tree.tree)},
            {"edges", std::move(edges)}};
}

Json links_json(const Network& network, const std::vector<double>& loads) {
    Json links = Json::array();
    for (LinkId link = 0; link < link_count(network); ++link) {
        links.push_back({{"from", link_from(network, link)},
                         {"to", link_to(network, link)},
                         {"load", loads[static_cast<std::size_t>(link)]}});
    }
    return links;
}

}  // namespace

std::string plan_json(const Network& network, const Plan& plan) {
    Json order = Json::array();
    for (int machine : plan.order.machines) order.push_back(name_at(network, machine));
    Json trees = Json::array();
    for (const ShareTree& tree : plan.trees) trees.push_back(tree_json(network, plan.order, tree));
    Json json{{"format", "bcastgen-plan/1"},
              {"topology", network.name},
              {"tree", bcast::tree_name_of(plan.request.tree)},
              {"algorithm", name_of(plan.request.builder)},
              {"radix", plan.request.radix},
              {"root", name_at(network, plan.request.root)},
              {"machines", plan.order.size()},
              {"order", std::move(order)},
              {"trees", std::move(trees)},
              {"links", links_json(network, plan.loads)},
              {"contention_free", plan.contention_free},
              {"stage", plan.stage},
              {"height_lower_bound", plan.height_lower_bound}};
    if (bcast::scatters(plan.request.tree)) {
        json["allgather_transfers"] = plan.ring_transfers;
        json["ring"] = Json::array();
        for (const auto& [from, to] : ring_edges(plan.order)) {
            json["ring"].push_back({name_at(network, from), name_at(network, to)});
        }
    }
    if (bcast::goes_in_rounds(plan.request.tree)) {
        json["skips"] = bcast::circulant_place(plan.order.size(), 0).skips;
    }
    if (plan.routes_known) {
        json["routes"] = "forwarding tables";
    } else if (is_folded_clos(network)) {
        json["routes"] = "any up/down";
    } else if (has_idle_trunks(network)) {
        json["routes"] = "spanning tree";
    }
    return json_lines(json);
}

}  // namespace bcastgen
