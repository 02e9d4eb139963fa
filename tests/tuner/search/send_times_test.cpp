#include "tuner/search/send_times.hpp"

#include <gtest/gtest.h>

#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

TEST(SendTimes, AreToldApart) {
    // 2 us of the processor for each send, 30 us to get there; the sender hears of it 10 us after its 2 us.
    const SendTimes sends = send_times_of(32, 32 + 14 * 2, 32 + 14 * 12, 16);
    EXPECT_EQ(sends.overhead_ns, 2'000);
    EXPECT_EQ(sends.latency_ns, 30'000);
    EXPECT_EQ(sends.answer_ns, 10'000);
}

TEST(SendTimes, AreAboveNothingWhateverNoiseSays) {
    const SendTimes sends = send_times_of(30, 29, 28, 5);
    EXPECT_EQ(sends.overhead_ns, 1);
    EXPECT_EQ(sends.latency_ns, 30'333);
    EXPECT_EQ(sends.answer_ns, 1);
}

TEST(SendTimes, AreMeasuredOnTheRootsSwitch) {
    const Network network = read_topology(R"(name: t
switches:
  a: {machines: "n[0-3]"}
  b: {machines: "m[0-1]"}
links:
  - {between: [a, b]}
)",
                                          "t.yaml");
    const std::vector<int> all{4, 5, 0, 1, 2, 3};
    EXPECT_EQ(send_times_machines(network, all, 1).machines, (std::vector<int>{1, 0, 2, 3}));
    EXPECT_TRUE(send_times_machines(network, all, 4).machines.empty());
    EXPECT_TRUE(send_times_machines(network, {0, 1, 4}, 0).machines.empty());
}

}  // namespace
}  // namespace bcastgen
