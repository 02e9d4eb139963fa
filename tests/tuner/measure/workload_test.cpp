#include "tuner/measure/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "planner/topology/topology_yaml.hpp"
#include "tuner/measure/savings.hpp"
#include "tuner/store/measured_savings.hpp"

namespace bcastgen {
namespace {

TracedCalls traced(std::size_t bytes, int machines, int ranks, const char* algorithm, int broadcasts, double seconds) {
    TracedCalls one;
    one.message_bytes = bytes;
    one.machines = machines;
    one.ranks = ranks;
    one.algorithm = algorithm;
    one.calls = static_cast<std::uint64_t>(broadcasts) * static_cast<std::uint64_t>(ranks);
    one.seconds = seconds * 2;  // of two ranks
    return one;
}

Trace job(std::vector<TracedCalls> calls) {
    return {"trace", std::move(calls), {{0, 0, 0}, {1, 0, 0}}};
}

TEST(Workload, IsWhatSeveralJobsBroadcastAmongMachines) {
    const Workload workload =
        workload_of({job({traced(1 << 20, 4, 8, "native", 10, 5), traced(1 << 20, 4, 8, "linear", 2, 1),
                          traced(8, 1, 4, "native", 100, 1)}),
                     job({traced(1 << 20, 4, 8, "native", 10, 4), traced(64, 4, 7, "native", 3, 0.5),
                          traced(0, 4, 8, "native", 3, 0.25)})});
    EXPECT_EQ(workload.jobs, 2U);
    EXPECT_DOUBLE_EQ(workload.seconds, 11.75);
    ASSERT_EQ(workload.cells.size(), 2U);
    EXPECT_EQ(workload.cells[0].message_bytes, 64U);
    EXPECT_EQ(workload.cells[0].ranks_per_machine, 2);
    EXPECT_DOUBLE_EQ(workload.cells[0].broadcasts, 3);
    EXPECT_DOUBLE_EQ(workload.cells[1].broadcasts, 22);
    EXPECT_DOUBLE_EQ(workload.cells[1].native_broadcasts, 20);
    EXPECT_DOUBLE_EQ(workload.cells[1].seconds, 10);
}

TEST(Workload, CountsSizesThatAreAlikeOrOfLittleTimeToOthers) {
    std::vector<TracedCalls> calls = {traced(32767, 4, 4, "native", 1, 1), traced(32768, 4, 4, "native", 1, 2)};
    for (int power = 0; power < 15; ++power)
        calls.push_back(traced(std::size_t{100} << power, 4, 4, "native", 1, 10 + power));
    const Workload workload = workload_of({job(calls)});
    ASSERT_EQ(workload.cells.size(), 12U);
    EXPECT_EQ(workload.cells[0].message_bytes, 800U);  // with those below
    EXPECT_DOUBLE_EQ(workload.cells[0].broadcasts, 4);
    double broadcasts = 0;
    for (const WorkloadCell& cell : workload.cells) broadcasts += cell.broadcasts;
    EXPECT_DOUBLE_EQ(broadcasts, 17);
    const auto nearest_32k = workload.cells[5];
    EXPECT_EQ(nearest_32k.message_bytes, 25600U);
}

TEST(Workload, IsWorthTuningWhereItsTimeIs) {
    const WorthTuning worth = worth_tuning(
        workload_of({job({traced(1 << 20, 16, 16, "native", 10, 90), traced(4096, 8, 32, "native", 10, 9.5),
                          traced(8, 4, 4, "native", 1000, 0.5)})}));
    EXPECT_EQ(worth.sizes, (std::vector<std::size_t>{4096, 1 << 20}));
    EXPECT_EQ(worth.machine_counts, (std::vector<int>{8, 16}));
    EXPECT_EQ(worth.ranks_per_machine, (std::vector<int>{1, 4}));
}

StoredValidation trial(int machines, const char* placement, std::uint64_t bytes, double native_us, double speed_up,
                       bool kept = true) {
    StoredValidation one;
    one.machines = machines;
    one.placement = placement;
    one.arrival = "balanced";
    one.message_bytes = bytes;
    one.native_us = native_us;
    one.chosen_us = native_us / speed_up;
    one.speed_up = speed_up;
    one.speed_up_low = speed_up / 1.25;
    one.speed_up_high = speed_up * 1.25;
    one.kept = kept;
    return one;
}

TEST(MeasuredSavings, AreOfTheTrialsThatStandForACell) {
    const std::vector<StoredValidation> trials = {trial(4, "near", 1000, 1e6, 9),       trial(8, "near", 1000, 100, 2),
                                                  trial(8, "spread", 1000, 200, 4),     trial(8, "near", 3000, 300, 2),
                                                  trial(8, "spread", 3000, 600, 4),     trial(16, "near", 1000, 1e6, 9),
                                                  trial(8, "near", 9000, 900, 3, false)};
    const Workload workload = workload_of({job({traced(2000, 6, 6, "native", 1'000'000, 400)})});
    const std::vector<Saving> savings = measured_savings(trials, workload);
    ASSERT_EQ(savings.size(), 1U);
    EXPECT_DOUBLE_EQ(savings[0].native_us, 300);  // (200 + 400) / 2
    EXPECT_DOUBLE_EQ(savings[0].chosen_us, 100);
    EXPECT_NEAR(savings[0].saved.likely, 200, 1e-9);
    EXPECT_NEAR(savings[0].saved.low, 200 - 200 / 1.6, 1e-9);
    EXPECT_NEAR(savings[0].saved.high, 400 - 400 / 5.0, 1e-9);

    // What was not won saves nothing, and of smaller messages than any trial's nothing is known.
    const Workload others = workload_of({job({traced(9000, 8, 8, "native", 5, 1), traced(500, 8, 8, "native", 5, 1),
                                              traced(9000, 32, 32, "native", 5, 1)})});
    const std::vector<Saving> none = measured_savings({trials[6], trials[1]}, others);
    ASSERT_EQ(none.size(), 1U);
    EXPECT_EQ(none[0].cell.message_bytes, 9000U);
    EXPECT_EQ(none[0].saved.likely, 0);
    EXPECT_EQ(none[0].saved.high, 0);
}

TEST(PredictedSavings, AreOfNativeBroadcastsThatTheTableWouldCarryFaster) {
    const Network network = read_topology(
        "name: t\nswitches: {s0: {machines: \"a[0-7]\"}, s1: {machines: \"b[0-7]\"}}\nlinks: [{between: [s0, s1]}]\n",
        "t.yaml");
    const Workload workload =
        workload_of({job({traced(4 << 20, 16, 16, "native", 10, 20), traced(4 << 20, 16, 16, "linear", 30, 20),
                          traced(1 << 20, 64, 64, "native", 10, 20), traced(1 << 20, 8, 8, "linear", 10, 20)})});
    const std::vector<Saving> savings = predicted_savings(network, workload);
    ASSERT_EQ(savings.size(), 1U);
    const Saving& one = savings.front();
    EXPECT_GT(one.native_us, one.chosen_us);
    EXPECT_NEAR(one.saved.likely, 10e-6 * (one.native_us - one.chosen_us), 1e-9);
    EXPECT_LT(one.saved.low, one.saved.likely);
    EXPECT_GT(one.saved.high, one.saved.likely);
    EXPECT_DOUBLE_EQ(sum_of({one, one}).likely, 2 * one.saved.likely);
}

}  // namespace
}  // namespace bcastgen
