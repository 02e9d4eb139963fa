#include "cli/options/grid_options.hpp"

#include <fmt/format.h>

#include <numeric>

#include "base/diagnostic.hpp"
#include "base/wording.hpp"
#include "cli/options/input_file.hpp"
#include "planner/grid/mapping_file.hpp"

namespace bcastgen {

namespace {

Grid read_grid(const std::string& text) {
    Grid grid;
    OptionErrors errors;
    errors.parse("--grid", text, [&] { grid = parse_grid(text); });
    errors.check();
    return grid;
}

}  // namespace

void add_grid_options(CLI::App& command, GridOptions& options) {
    command.add_option("--grid", options.grid, "Rows and columns of a grid of ranks, numbered row by row")
        ->type_name("RxC");
    command.add_option("--ranks-per-machine", options.ranks_per_machine, "Most ranks that a machine has, with --grid")
        ->check(CLI::Range(1, most_cores))
        ->needs("--grid")
        ->capture_default_str();
}

GridPlaces grid_places(const Network& network, const GridOptions& options, const PlanOptions& plan) {
    GridPlaces places{read_grid(options.grid), {plan_request(network, plan).machines, options.ranks_per_machine}};
    if (places.slots.machines.empty()) {
        places.slots.machines.resize(network.machines.size());
        std::iota(places.slots.machines.begin(), places.slots.machines.end(), 0);
    }
    const long long room = static_cast<long long>(places.slots.machines.size()) * options.ranks_per_machine;
    if (places.grid.ranks() > room) {
        OptionErrors errors;
        errors.add("--grid", fmt::format("{} x {} are {}, and {} with {} each have room for {}", places.grid.rows,
                                         places.grid.columns, counted(places.grid.ranks(), "rank", "ranks"),
                                         counted(places.slots.machines.size(), "machine", "machines"),
                                         counted(options.ranks_per_machine, "rank", "ranks"), room));
        errors.check();
    }
    return places;
}

GridRequest grid_request(const Network& network, const GridOptions& options, const PlanOptions& plan) {
    OptionErrors errors;
    if (!plan.root.empty()) errors.add("--root", "with --grid every row and column has a root; use --root-position");
    if (!options.mapping.empty() && !plan.machines.empty()) {
        errors.add("--machines", "the mapping says which machines take part");
    }
    errors.check();
    GridRequest request;
    request.plan = plan_request(network, plan);
    if (options.root_position >= 0) request.root_position = options.root_position;
    if (options.mapping.empty()) {
        const GridPlaces places = grid_places(network, options, plan);
        request.grid = places.grid;
        request.mapping = mapping_by_name(network, places.grid, places.slots);
    } else {
        request.grid = read_grid(options.grid);
        request.mapping = read_mapping(read_input_file(options.mapping), options.mapping, network, request.grid,
                                       options.ranks_per_machine);
    }
    return request;
}

}  // namespace bcastgen
