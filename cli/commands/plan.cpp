#include "planner/plan/plan.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/options/grid_options.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/table_help.hpp"
#include "cli/options/taking_part.hpp"
#include "planner/plan/plan_options.hpp"
#include "planner/print/grid_formats.hpp"
#include "planner/print/plan_formats.hpp"

namespace bcastgen {

namespace {

constexpr const char* plan_examples = R"(Examples:
  bcastgen plan topologies/fsu-5.yaml                                  the binary tree from the first machine
  bcastgen plan topologies/fsu-5.yaml --tree linear --root n7
  bcastgen plan topologies/fsu-5.yaml --machines n[0-9,16-23]          a job's machines only
  bcastgen plan topologies/fsu-5.yaml --tree kary --radix 4 --algorithm paper
  bcastgen plan topologies/campus.yaml --algorithm best                   a lower tree, for seconds instead of milliseconds
  bcastgen plan topologies/fsu-5.yaml --format svg > plan.svg
  bcastgen plan topologies/fsu-5.yaml --grid 4x8          all rows' broadcasts at the same time, and all columns'
  bcastgen plan topologies/fsu-5.yaml --grid 4x8 --mapping hosts --tree linear
  bcastgen plan topologies/fsu-5.yaml --format json | jq '.trees[0].height, .stage')";

using PlanWriter = std::string (*)(const Network&, const Plan&);
using GridWriter = std::string (*)(const Network&, const GridPlan&);

const std::map<std::string, Builder> builders{
    {"fast", Builder::fast}, {"paper", Builder::paper}, {"best", Builder::best}};
const std::map<std::string, PlanWriter> plan_formats{
    {"text", plan_text}, {"json", plan_json}, {"dot", plan_dot}, {"svg", plan_svg}};
const std::map<std::string, GridWriter> grid_formats{
    {"text", grid_text}, {"json", grid_json}, {"dot", grid_dot}, {"svg", grid_svg}};

struct PlanArguments {
    std::string topology;
    std::string tree = bcast::tree_name_of(bcast::usual::first_shown);
    std::string builder = "fast";
    std::string format = "text";
    std::string routes;
    PlanOptions plan;
    GridOptions grid;
};

int plan(PlanArguments options) {
    const Network network = load_topology(options.topology);
    options.plan.tree = trees_by_name().at(options.tree);
    options.plan.builder = builders.at(options.builder);
    const std::unique_ptr<ForwardingTables> routes = load_routes(options.routes, network);
    if (!options.grid.grid.empty()) {
        const GridPlan side_by_side =
            plan_grid(network, grid_request(network, options.grid, options.plan), routes.get());
        fmt::print("{}", grid_formats.at(options.format)(network, side_by_side));
        return exit_done;
    }
    const Plan made = make_plan(network, plan_request(network, options.plan), routes.get());
    fmt::print("{}", plan_formats.at(options.format)(network, made));
    return exit_done;
}

}  // namespace

void register_plan(CLI::App& application, Invocation& invocation) {
    CLI::App* command = add_command(application, "plan", "Plan one broadcast tree, prove its load, and show it",
                                    fmt::format("{}\n\nTrees:\n{}", plan_examples, tree_lines()));
    const auto options = std::make_shared<PlanArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command->add_option("--tree", options->tree, tree_list())
        ->check(CLI::IsMember(trees_by_name()))
        ->capture_default_str();
    command->add_option("--radix", options->plan.radix, "Most children of a machine in a k-ary tree [3]");
    add_taking_part(*command, options->plan);
    add_grid_options(*command, options->grid);
    command
        ->add_option("--mapping", options->grid.mapping,
                     "Which machine each rank is on: host file of Slurm or MPICH, or Open MPI rankfile [by name]")
        ->type_name("FILE")
        ->needs("--grid");
    command
        ->add_option("--root-position", options->grid.root_position,
                     "Position in each row and column that broadcasts [the worst]")
        ->check(CLI::NonNegativeNumber)
        ->needs("--grid");
    command
        ->add_option("--algorithm", options->builder,
                     "Of binary and k-ary trees: fast, best (lower, slower) or paper (published, the reference)")
        ->check(CLI::IsMember(builders))
        ->capture_default_str();
    command->add_option("--routes", options->routes, "Forwarding tables as dump_lfts prints them: loads follow them")
        ->type_name("FILE");
    command->add_option("--format", options->format, "text, json, dot or svg")
        ->check(CLI::IsMember(plan_formats))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return plan(*options); }; });
}

}  // namespace bcastgen
