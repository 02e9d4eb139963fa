#include "planner/print/explanation_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.hpp"
#include "planner/plan/plan_options.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

Network three() {
    return read_topology(
        "name: three\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\n"
        "switches: {s0: {machines: \"a,b\"}, s1: {machines: c}}\nlinks: [{between: [s0, s1]}]\n",
        "three.yaml");
}

DecisionTable table() {
    DecisionTable made;
    made.origin = "made by hand";
    Rule rule;
    rule.messages = {{4096, bcast::Algorithm::native, 0},
                     {65536, bcast::Algorithm::linear, 8192},
                     {bcast::no_limit, bcast::Algorithm::scatter_ring, 0}};
    made.rules = {rule};
    return made;
}

std::string explained(const std::string& root, const std::string& machines, std::size_t bytes, int ranks_per_machine) {
    const Network network = three();
    const DecisionTable made = table();
    PlanOptions options;
    options.root = root;
    options.machines = machines;
    const AskedBroadcast asked{plan_request(network, options), bytes, ranks_per_machine};
    return explanation_text(network, made, true, explain(network, made, asked, simulated_costs(network)));
}

TEST(Explanation, TellsTheRuleTheTreeAndTheTime) {
    EXPECT_EQ(explained("b", "", 16384, 2),
              R"(three: 16K from b to 3 machines, 2 ranks each
  rule       machines: 2 and more; ranks per machine: any number; messages above 4K up to 64K:
             linear in segments of 8K
  why        the first row of the decision table for 3 machines with 2 ranks each, and in it the first rule
             that 16K is not above; the table is measured (made by hand)
  below      up to 4K: native (the MPI's own broadcast)
  next       above 64K: scatter-ring in one piece
  T(m)       2.02 ms: 16K once between two machines, predicted
  floor      1.35 ms, 0.67 x T(m): no broadcast to 3 machines can be quicker
  predicted  2.37 ms, 1.17 x T(m): linear in segments of 8K
             = fill 1.43 ms, steady state 604 us, latency 334 us
  others     2.50 ms, 1.24 x T(m): binary in segments of 8K
             = fill 1.51 ms, steady state 906 us, latency 87.5 us
             2.50 ms, 1.24 x T(m): kary3 in segments of 8K
             = fill 1.51 ms, steady state 906 us, latency 87.5 us
             2.50 ms, 1.24 x T(m): kary4 in segments of 8K
             = fill 1.51 ms, steady state 906 us, latency 87.5 us
             2.50 ms, 1.24 x T(m): kary5 in segments of 8K
             = fill 1.51 ms, steady state 906 us, latency 87.5 us
             2.54 ms, 1.26 x T(m): circulant in segments of 8K
             = fill 1.61 ms, steady state 614 us, latency 314 us
             2.63 ms, 1.30 x T(m): two-tree in one piece
             = fill 2.42 ms, latency 219 us
             3.04 ms, 1.50 x T(m): scatter-ring-tuned in one piece
             = fill 2.68 ms, latency 359 us
             3.09 ms, 1.53 x T(m): scatter-ring in one piece
             = fill 2.70 ms, latency 387 us
             3.90 ms, 1.93 x T(m): latency in one piece
             = fill 3.76 ms, latency 140 us
             4.11 ms, 2.03 x T(m): flat in one piece
             = fill 3.76 ms, latency 349 us
             4.11 ms, 2.03 x T(m): binomial in one piece
             = fill 3.76 ms, latency 349 us

three: linear tree from b to 3 machines on 2 switches (algorithm: fast)
  height   2 (lower bound 2)
  fan-out  1
  stage    1: one large message takes about 1 x T(m)
  root     sends 1 x the message
  proof    contention-free: no two senders share a directed link
  hottest  a → s0, s0 → a, b → s0, s1 → c, s0 → s1

  trunk       load →       ←
  s0    ─ s1       1       0

b         s0
└─ a      s0
   └─ c   s0 → s1
)");
}

TEST(Explanation, SaysWhenNothingIsPlanned) {
    EXPECT_EQ(explained("", "", 0, 1),
              "three: 0 from a to 3 machines, 1 rank each\n"
              "  rule       native (the MPI's own broadcast): there is nothing to send\n");
    EXPECT_EQ(explained("b", "b", 100, 1),
              "three: 100 from b to 1 machine, 1 rank each\n"
              "  rule       native (the MPI's own broadcast): there is one rank\n");
    EXPECT_EQ(
        explained("b", "b", 100, 2),
        "three: 100 from b to 1 machine, 2 ranks each\n"
        "  rule       native (the MPI's own broadcast): the decision table has no row for ranks that are all on one "
        "machine\n");
    const std::string ring = explained("", "", 1 << 20, 1);
    EXPECT_NE(ring.find("  next       nothing changes for larger messages\n"), std::string::npos) << ring;
    EXPECT_NE(ring.find("  predicted  144 ms, 1.61 x T(m): scatter-ring in one piece\n"), std::string::npos) << ring;
    EXPECT_NE(ring.find("scatter-ring from a to 3 machines on 2 switches"), std::string::npos) << ring;
}

TEST(Explanation, WithinOneMachineTellsTheRuleAndNoTimes) {
    const Network network = three();
    DecisionTable made = table();
    made.rules[0].machines_from = 1;
    made.rules[0].messages[1].hand_on = bcast::HandOn::window;
    PlanOptions options;
    options.machines = "b";
    const AskedBroadcast asked{plan_request(network, options), 16384, 2};
    EXPECT_EQ(explanation_text(network, made, true, explain(network, made, asked, simulated_costs(network))),
              R"(three: 16K from b to 1 machine, 2 ranks each
  rule       machines: any number; ranks per machine: any number; messages above 4K up to 64K:
             linear in segments of 8K, by window within machines
  why        the first row of the decision table for 1 machine with 2 ranks each, and in it the first rule
             that 16K is not above; the table is measured (made by hand)
  below      up to 4K: native (the MPI's own broadcast)
  next       above 64K: scatter-ring in one piece
  times      not predicted within one machine
)");
}

TEST(Explanation, RefusesMachinesThatThereAreNot) {
    EXPECT_THROW((void)explained("z", "", 1, 1), InputErrors);
}

}  // namespace
}  // namespace bcastgen
