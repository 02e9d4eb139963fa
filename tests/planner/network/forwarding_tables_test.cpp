#include "planner/network/forwarding_tables.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "planner/plan/plan.hpp"
#include "planner/print/check_formats.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

// l0 and l1 are joined by spine s0 (two cables to each) and spine s1.
constexpr const char* small_topology = R"(name: small
defaults:
  link: {bandwidth: 1Gbit/s, latency: 1us}
switches:
  l0: {machines: "a0,a1"}
  l1: {machines: "b0,b1"}
  s0: {}
  s1: {}
links:
  - {between: [l0, s0], cables: 2}
  - {between: [l1, s0], cables: 2}
  - {between: [l0, s1]}
  - {between: [l1, s1]}
)";

std::string table(const std::string& guid, const std::string& name, const std::vector<int>& ports) {
    const char* names[] = {"l0", "l1", "s0", "s1", "a0 HCA-1", "a1 HCA-1", "b0 HCA-1", "b1 HCA-1"};
    std::string text = "Unicast lids [0x0-0x8] of switch Lid 1 guid 0x" + guid + " (" + name + "):\n";
    text += "  Lid  Out   Destination\n       Port     Info \n";
    for (std::size_t i = 0; i < ports.size(); ++i) {
        text += "0x000" + std::to_string(i + 1) + " 00" + std::to_string(ports[i]) + " : (" +
                (i < 4 ? "Switch" : "Channel Adapter") + " portguid 0x000000000000000" + std::to_string(i) + ": '" +
                names[i] + "')\n";
    }
    return text + "8 valid lids dumped \n";
}

// Ports: leaves 1 and 2 to machines, 3 and 4 to s0, 5 to s1; spine s0 1 and 2 to l0, 3 and 4 to l1; s1 1 and 2.
std::string tables() {
    return table("10", "l0", {0, 3, 3, 5, 1, 2, 4, 5}) + table("11", "l1", {3, 0, 3, 5, 4, 3, 1, 2}) +
           table("12", "s0", {1, 3, 0, 1, 2, 1, 3, 4}) + table("13", "s1", {1, 2, 1, 0, 1, 1, 2, 2});
}

TEST(ForwardingTables, GiveTheWayAndTheCable) {
    const Network network = read_topology(small_topology, "small.yaml");
    const ForwardingTables routes(tables(), "lfts", network);
    const auto way = [&](int from, int to) {
        std::string text;
        for (const Crossing& crossing : routes.between(from, to)) {
            text += link_from(network, crossing.link) + std::to_string(crossing.cable) + ">";
        }
        return text;
    };
    EXPECT_EQ(way(0, 1), "a00>l00>");
    EXPECT_EQ(way(0, 2), "a00>l01>s00>l10>");  // port 4 is the second cable to s0
    EXPECT_EQ(way(0, 3), "a00>l00>s10>l10>");
    EXPECT_EQ(way(3, 0), "b10>l11>s01>l00>");
    EXPECT_EQ(way(3, 1), "b10>l10>s00>l00>");
}

TEST(ForwardingTables, CarryPlans) {
    const Network network = read_topology(small_topology, "small.yaml");
    const ForwardingTables routes(tables(), "lfts", network);
    PlanRequest request;
    request.tree = bcast::Algorithm::flat;
    const Plan plan = make_plan(network, request, &routes);
    EXPECT_TRUE(plan.routes_known);
    EXPECT_DOUBLE_EQ(plan.loads[static_cast<std::size_t>(trunk_link(network, 0, true))], 1);  // l0 to s0: b0 only
    EXPECT_DOUBLE_EQ(plan.loads[static_cast<std::size_t>(trunk_link(network, 2, true))], 1);  // l0 to s1: b1 only
}

std::string errors_of(const std::string& text) {
    const Network network = read_topology(small_topology, "small.yaml");
    try {
        const ForwardingTables routes(text, "lfts", network);
    } catch (const InputErrors& errors) {
        std::string all;
        for (const Diagnostic& diagnostic : errors.diagnostics()) all += render(diagnostic) + "\n";
        return all;
    }
    return "";
}

TEST(ForwardingTables, SayWhatIsMissingOrFitsNowhere) {
    EXPECT_EQ(errors_of(table("10", "l0", {0, 3, 3, 5, 1, 2, 4})),
              "lfts: error: no table of switch l1\n\nlfts: error: no table of switch s0\n\n"
              "lfts: error: no table of switch s1\n\nlfts: error: no route to machine b1\n\n");
    EXPECT_EQ(errors_of("hello\n"),
              "lfts: error: no forwarding table of any switch of the topology; as dump_lfts prints "
              "them, they begin with \"Unicast lids\"\n\n");
    std::string odd = tables();
    odd.replace(odd.find("0x0007 004"), 10, "0x0007 009");
    EXPECT_EQ(errors_of(odd), "");  // the second cable may be in any port
    odd.replace(odd.find("0x0006 002"), 10, "0x0006 008");
    odd.replace(odd.find("0x0008 005"), 10, "0x0008 004");
    EXPECT_NE(errors_of(odd), "");
    EXPECT_NE(errors_of("0x0000 001 : (Switch portguid 0x1: 'l0')\n").find("lfts:1:1: error: not a route"),
              std::string::npos);
}

const std::filesystem::path routes_dir = std::filesystem::path(BCASTGEN_SOURCE_DIR) / "tests/planner/network/routes";

std::string output_of(const std::string& command) {
    std::string output;
    FILE* pipe = popen(command.c_str(), "r");
    char block[65536];
    for (std::size_t read = 1; read > 0; output.append(block, read)) read = fread(block, 1, sizeof block, pipe);
    EXPECT_EQ(pclose(pipe), 0) << command;
    return output;
}

// 128 machines below 80 switches in three levels: simulated by ibsim, the routes chosen by opensm's ftree engine.
TEST(ForwardingTables, OfARealRouterKeepWhatFoldedClosNetworksPromise) {
    const std::string topology_file = routes_dir / "k4n3.yaml";
    const Network network = read_topology(output_of("cat " + topology_file), topology_file);
    ASSERT_TRUE(is_folded_clos(network));
    const ForwardingTables routes(output_of("gzip -dc " + (routes_dir / "k4n3.lfts.gz").string()), "k4n3", network);
    const std::vector<RouteCheck> checks = check_routes(network, routes);
    ASSERT_EQ(checks.size(), 3U);
    for (const RouteCheck& check : checks) {
        const double most = check.tree == bcast::Algorithm::binary ? 2 : 1;
        EXPECT_DOUBLE_EQ(check.heaviest, most) << bcast::tree_name_of(check.tree);
        EXPECT_DOUBLE_EQ(check.stage, most) << bcast::tree_name_of(check.tree);
        EXPECT_TRUE(check.contention_free) << bcast::tree_name_of(check.tree);
    }
    // A tree that promises nothing along the same routes: who follows whom by number crosses the leaves' trunks often.
    PlanRequest request;
    request.tree = bcast::Algorithm::binomial;
    EXPECT_GT(make_plan(network, request, &routes).stage, 2);
}

}  // namespace
}  // namespace bcastgen
