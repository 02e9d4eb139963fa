#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "planner/print/check_formats.hpp"

namespace bcastgen {

namespace {

constexpr const char* check_examples = R"(Examples:
  bcastgen check topologies/fsu-5.yaml
  bcastgen check my-cluster.yaml --format json | jq .spanning_tree)";

struct CheckArguments {
    std::string topology;
    std::string format = "text";
    std::string routes;
};

int check(const CheckArguments& options) {
    const Network network = load_topology(options.topology);
    const std::unique_ptr<ForwardingTables> routes = load_routes(options.routes, network);
    fmt::print("{}", options.format == "json" ? check_json(network, routes.get()) : check_text(network, routes.get()));
    return exit_done;
}

}  // namespace

void register_check(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "check", "Read a topology file and show what was understood", check_examples);
    const auto options = std::make_shared<CheckArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--routes", options->routes,
                     "Forwarding tables as dump_lfts prints them: show what planned trees load along them")
        ->type_name("FILE");
    command->add_option("--format", options->format, "text for people, json for programs")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return check(*options); }; });
}

}  // namespace bcastgen
