#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "base/json_lines.hpp"
#include "planner/print/grid_formats.hpp"

namespace bcastgen {

namespace {

nlohmann::ordered_json sums_json(const SharedLoads& sums) {
    return {{"broadcasts", sums.broadcasts}, {"across_machines", sums.across_machines},
            {"stage", sums.stage},           {"stage_alone", sums.stage_alone},
            {"factor", sums.factor()},       {"worst_root_position", sums.worst_root}};
}

}  // namespace

std::string grid_json(const Network& network, const GridPlan& plan) {
    const GridRequest& request = plan.request;
    nlohmann::ordered_json mapping = nlohmann::ordered_json::array();
    for (const int machine : request.mapping) mapping.push_back(network.machines[at(machine)].name);
    nlohmann::ordered_json links = nlohmann::ordered_json::array();
    for (LinkId link = 0; link < link_count(network); ++link) {
        links.push_back({{"from", link_from(network, link)},
                         {"to", link_to(network, link)},
                         {"rows_load", plan.rows.loads[at(link)]},
                         {"rows_sharing", plan.rows.shared_by[at(link)]},
                         {"columns_load", plan.columns.loads[at(link)]},
                         {"columns_sharing", plan.columns.shared_by[at(link)]}});
    }
    nlohmann::ordered_json json{{"format", "bcastgen-grid/1"},
                                {"topology", network.name},
                                {"tree", bcast::tree_name_of(request.plan.tree)},
                                {"algorithm", name_of(request.plan.builder)},
                                {"grid_rows", request.grid.rows},
                                {"grid_columns", request.grid.columns}};
    if (request.root_position) json["root_position"] = *request.root_position;
    json["mapping"] = std::move(mapping);
    json["rows"] = sums_json(plan.rows);
    json["columns"] = sums_json(plan.columns);
    json["links"] = std::move(links);
    return json_lines(json);
}

}  // namespace bcastgen
