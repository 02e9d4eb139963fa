#include "planner/print/proof_scope.hpp"

#include <gtest/gtest.h>

#include <string>

#include "planner/print/check_formats.hpp"
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
    EXPECT_NE(check_text(network).find("  proofs         hold on the 2 of 3 trunks that the spanning tree uses; of "
                                       "messages that take others (InfiniBand's routes) nothing is proved, see "
                                       "--routes\n"),
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

}  // namespace
}  // namespace bcastgen
