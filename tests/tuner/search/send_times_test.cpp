#include "tuner/search/send_times.hpp"

#include <gtest/gtest.h>

#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

Estimate exactly(double us) {
    return exact_estimate({us});
}

TEST(SendTimes, AreToldApart) {
    // 2 us of the processor for each send and 3 for each receive, 30 us in between; the sender hears of it 10 us after
    // its 2 us.
    const MeasuredSends sends =
        sends_of({exactly(35), exactly(35 + 14 * 2), exactly(35 + 14 * 12), exactly(35 + 14 * 3), 16});
    EXPECT_EQ(sends.times.overhead_ns, 2'000);
    EXPECT_EQ(sends.times.latency_ns, 30'000);
    EXPECT_EQ(sends.times.answer_ns, 10'000);
    EXPECT_EQ(sends.times.receive_ns, 3'000);
    EXPECT_FALSE(sends.bounds);
}

TEST(SendTimes, AreAboveNothingWhateverNoiseSays) {
    const MeasuredSends sends = sends_of({exactly(30), exactly(29), exactly(28), exactly(27), 5});
    EXPECT_EQ(sends.times.overhead_ns, 1);
    EXPECT_EQ(sends.times.latency_ns, 31'333);
    EXPECT_EQ(sends.times.answer_ns, 1);
    EXPECT_EQ(sends.times.receive_ns, 1);
}

// 10 Gbit/s: 5 us for a send, 4 for a receive, and 2 on the cables.
TEST(SendTimes, ReceivingMayTakeLongerThanTheCables) {
    const SmallMessageTimes times{exactly(11), exactly(11 + 4 * 5), exactly(11 + 4 * 7), exactly(11 + 4 * 4), 6, 2};
    EXPECT_EQ(sends_of(times).times.receive_ns, 4'000);
    EXPECT_EQ(sends_of(times).times.latency_ns, 2'000);
}

TEST(SendTimes, ReceivingTakesNoLongerThanWhatTheCablesLeaveOrHalfOfTheWay) {
    const auto receive_ns = [](double cables_us) {
        return sends_of({exactly(30), exactly(30 + 4 * 2), exactly(30 + 4 * 2), exactly(30 + 4 * 40), 6, cables_us})
            .times.receive_ns;
    };
    EXPECT_EQ(receive_ns(5), 23'000);
    EXPECT_EQ(receive_ns(25), 14'000);
    EXPECT_EQ(receive_ns(100), 14'000);
}

TEST(SendTimes, HaveBoundsWhereTheyScatter) {
    const auto about = [](double us) { return Estimate{25, us, us - 1, us + 1}; };
    const MeasuredSends sends = sends_of({about(35), about(55), about(155), about(65), 12});
    ASSERT_TRUE(sends.bounds);
    const auto& [least, most] = *sends.bounds;
    EXPECT_EQ(sends.times.overhead_ns, 2'000);
    EXPECT_EQ(least.overhead_ns, 1'800);
    EXPECT_EQ(most.overhead_ns, 2'200);
    EXPECT_EQ(least.receive_ns, 2'800);
    EXPECT_EQ(most.receive_ns, 3'200);
    EXPECT_EQ(least.answer_ns, 9'800);
    EXPECT_EQ(most.answer_ns, 10'200);
    EXPECT_EQ(sends.times.latency_ns, 30'000);
    EXPECT_EQ(least.latency_ns, 34'000 - 2'200 - 3'200);
    EXPECT_EQ(most.latency_ns, 36'000 - 1'800 - 2'800);
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
