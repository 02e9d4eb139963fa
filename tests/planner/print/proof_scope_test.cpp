#include "planner/print/proof_scope.hpp"

#include <gtest/gtest.h>

#include <string>

#include "planner/print/check_formats.hpp"
#include "planner/print/plan_formats.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

/// Three switches, a machine on each, and more links.
Network three_switches(const std::string& links, const std::string& rule = "auto") {
    return read_topology("name: t\nspanning_tree: " + rule +
                             "\nswitches: {a: {machines: n0}, b: {machines: n1}, c: {machines: n2}}\nlinks:\n"
                             "  - {between: [a, b]}\n  - {between: [b, c]}\n" +
                             links,
                         "t.yaml");
}

const std::string folded_clos =
    "name: t\nswitches: {a: {machines: \"n[0-1]\"}, b: {machines: \"n[2-3]\"}, x: {}, y: {}}\nlinks:\n"
    "  - {between: [a, x]}\n  - {between: [a, y]}\n  - {between: [b, x]}\n  - {between: [b, y]}\n";

TEST(ProofScope, SaysNothingWhereThereIsOneWay) {
    EXPECT_EQ(proof_scope(three_switches("")), "");
    EXPECT_EQ(trunks_in_use(three_switches("")), 2U);
}

TEST(ProofScope, CountsTheTrunksOfASpanningTree) {
    const Network network = three_switches("  - {between: [a, c]}\n");
    EXPECT_EQ(proof_scope(network), ", on the 2 of 3 trunks that the spanning tree uses");
    EXPECT_NE(check_text(network).find("  proofs         hold on the 2 of 3 trunks that the spanning tree uses; where "
                                       "messages take others (InfiniBand), give the routes: dump_lfts >lfts.txt, then "
                                       "check and plan with --routes lfts.txt\n"),
              std::string::npos);
    const Network bridges = three_switches("  - {between: [a, c]}\n", "stp");
    EXPECT_NE(check_text(bridges).find("  proofs         hold on the 2 of 3 trunks that the spanning tree uses\n"),
              std::string::npos);
}

TEST(ProofScope, NamesTheRoutesOfAFoldedClos) {
    const Network network = read_topology(folded_clos, "t.yaml");
    EXPECT_EQ(proof_scope(network), ", by any shortest up/down routes");
    EXPECT_EQ(trunks_in_use(network), 4U);
    EXPECT_EQ(check_text(network).find("proofs"), std::string::npos);
}

TEST(ProofScope, DrawsNoTrunkOfAFoldedClosAsIdle) {
    const Network clos = read_topology(folded_clos, "t.yaml");
    PlanRequest request;
    request.machines = {0, 1, 2, 3};
    const std::string picture = plan_dot(clos, make_plan(clos, request));
    EXPECT_EQ(picture.find("style=dotted"), std::string::npos) << picture;
    EXPECT_NE(picture.find("\"switch x\" -> \"switch b\" [dir=none, class=trunk, color=\"#999999\", penwidth=3, "
                           "fontcolor=\"#555555\", label=\" 2 × 1Gbit/s\\n load ≤ 1 / "),
              std::string::npos)
        << picture;
    const Network ring = three_switches("  - {between: [a, c]}\n");
    request.machines.clear();
    for (std::size_t m = 0; m < ring.machines.size(); ++m) request.machines.push_back(static_cast<int>(m));
    EXPECT_NE(plan_dot(ring, make_plan(ring, request)).find("style=dotted"), std::string::npos);
}

}  // namespace
}  // namespace bcastgen
